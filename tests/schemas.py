"""The JSON schemas of the TOML files, in docs/schemas: editors complete and check the files with them.

`make docs` writes them anew; a test compares.
"""

import json
from pathlib import Path
from typing import Any

from arena.config import Tournament
from arena.risk.edition import Edition
from arena.risk.map import Map

FOLDER = Path(__file__).parents[1] / "docs" / "schemas"


def schemas() -> dict[str, dict[str, Any]]:
    """File kind to schema."""
    edition = Edition.model_json_schema()
    edition["properties"]["map"] = {"type": "string", "description": "A map's id."}
    edition["properties"]["extends"] = {
        "type": "string",
        "description": "An edition's id: what this file does not give is taken from there.",
    }
    edition["required"] = ["id"]
    for section in edition["$defs"].values():
        section.pop("required", None)  # a file that extends another gives single fields
    used = {name for name in edition["$defs"] if name not in {"Map", "Territory", "OptionalBorder"}}
    edition["$defs"] = {name: edition["$defs"][name] for name in sorted(used)}
    return {
        "edition": edition,
        "map": Map.model_json_schema(),
        "tournament": Tournament.model_json_schema(),
    }


def render(schema: dict[str, Any]) -> str:
    """A schema as its file holds it."""
    draft = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return json.dumps(draft | schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for kind, schema in schemas().items():
        (FOLDER / f"{kind}.json").write_text(render(schema), encoding="utf-8")
