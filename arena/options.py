"""A bot's options: the keyword arguments of its factory, checked by a pydantic model made from its signature.

    def __init__(self, margin: Annotated[int, "troops more than the defender has"] = 2) -> None: ...

`greedy:margin=3` then gives 3. The help is the text in the annotation, or that of `Field(description=…)`;
bounds are whatever pydantic reads there (`Field(ge=0)`, `Literal["bold", "shy"]`). Without an annotation the
default's type counts.
"""

import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Annotated, Any

from arena.errors import ConfigError, hint

if TYPE_CHECKING:
    from pydantic import BaseModel


@dataclass(frozen=True, slots=True)
class Option:
    """An option, as a person is told about it."""

    name: str
    type: str
    """What may be given: `int at least 0`, `bold or shy`."""
    default: str | None
    """As it would be written; None where the option must be given."""
    help: str


def split_options(text: str) -> tuple[str, str | None]:
    """A bot's id or path, in which colons may be, and its options as they are written behind one, or None."""
    found = re.fullmatch(r"(.*?)(?::([^\W\d]\w*=.*|[^/.]*))?", text, re.DOTALL)
    assert found is not None  # it matches whatever there is
    return found[1], found[2]


def parse_options(text: str) -> dict[str, str]:
    """`a=1,b=2` as names and texts. Raises ConfigError."""
    options: dict[str, str] = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not equals or not name.isidentifier() or name in options:
            raise ConfigError(f"expected option=value, each option once, got {part!r}")
        options[name] = value
    return options


def option_defaults(factory: Callable[..., object]) -> dict[str, str | None]:
    """The options by name, with their defaults as they would be written; None for one without."""
    return {name: _written(parameter.default) for name, parameter in _parameters(factory).items()}


def list_options(factory: Callable[..., object]) -> list[Option]:
    """The options in the factory's order."""
    model = options_model(factory)
    types = _types(model)
    return [
        Option(name, types[name], default, model.model_fields[name].description or "")
        for name, default in option_defaults(factory).items()
    ]


def read_options(factory: Callable[..., object], texts: Mapping[str, str]) -> dict[str, Any]:
    """The values of the given options, fit to call the factory with.

    Raises ConfigError for one that is unknown, wrong or missing.
    """
    from pydantic import ValidationError  # noqa: PLC0415 - only where it is needed

    model = options_model(factory)
    try:
        values = model.model_validate_strings(dict(texts))
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        if first["type"] == "extra_forbidden":
            raise ConfigError(f"unknown option {name!r}: {hint(name, model.model_fields)}") from None
        found = "none" if first["type"] == "missing" else repr(first["input"])
        raise ConfigError(f"option {name}: expected {_types(model)[name]}, got {found}") from None
    return {name: getattr(values, name) for name in texts}


def options_model(factory: Callable[..., object]) -> "type[BaseModel]":
    """The pydantic model that a factory's options are checked with."""
    from pydantic import ConfigDict, create_model  # noqa: PLC0415

    fields: dict[str, Any] = {}
    for name, parameter in _parameters(factory).items():
        default = ... if parameter.default is Parameter.empty else parameter.default
        fields[name] = (_annotation(parameter), default)
    with warnings.catch_warnings(action="ignore"):  # an option may be called `copy`, as a model's method is
        config = ConfigDict(extra="forbid", protected_namespaces=(), allow_inf_nan=False)
        return create_model("Options", __config__=config, **fields)


def _parameters(factory: Callable[..., object]) -> dict[str, Parameter]:
    """The parameters that can be given by name and are not private."""
    try:
        parameters = signature(factory, eval_str=True).parameters
    except Exception:  # an annotation that only a type checker can read, or no signature at all
        try:
            parameters = signature(factory).parameters
        except (TypeError, ValueError):
            return {}
    by_name = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    return {name: p for name, p in parameters.items() if p.kind in by_name and name[0] != "_"}


def _written(default: object) -> str | None:
    if default is Parameter.empty:
        return None
    return str(default).lower() if isinstance(default, bool | None) else str(default)


def _annotation(parameter: Parameter) -> Any:
    """What pydantic checks a parameter with: its annotation, where that says nothing its default's type."""
    from pydantic import Field, PydanticUserError, TypeAdapter  # noqa: PLC0415

    annotation = parameter.annotation
    try:
        if annotation is Parameter.empty or isinstance(annotation, str):
            raise PydanticUserError("no annotation", code=None)
        TypeAdapter(annotation).json_schema()
    except PydanticUserError:
        if type(parameter.default) in (bool, int, float, str):
            return type(parameter.default)
        return Annotated[int | float | bool | str, Field(union_mode="left_to_right")]
    texts = [note for note in getattr(annotation, "__metadata__", ()) if isinstance(note, str)]
    return Annotated[annotation, Field(description=texts[0])] if texts else annotation


def _types(model: "type[BaseModel]") -> dict[str, str]:
    properties = model.model_json_schema().get("properties", {})
    return {name: _type(schema) for name, schema in properties.items()}


def _type(schema: Mapping[str, Any]) -> str:
    """What a JSON schema allows, in words."""
    if "anyOf" in schema:
        return " or ".join([_type(choice) for choice in schema["anyOf"]])
    if "enum" in schema:
        return " or ".join(map(str, schema["enum"]))
    if "const" in schema:
        return str(schema["const"])
    words = {
        "integer": "int",
        "number": "float",
        "boolean": "true or false",
        "string": "text",
        "null": "none",
    }
    bounds = {
        "minimum": "at least",
        "exclusiveMinimum": "above",
        "maximum": "at most",
        "exclusiveMaximum": "below",
    }
    kind = words.get(schema.get("type", ""), "a value")
    return ", ".join([kind, *(f"{word} {schema[key]:g}" for key, word in bounds.items() if key in schema)])
