"""The page docs/bot-reference.md: all that a bot answers, sees and may ask, from the docstrings.

`make docs` writes it anew; a test compares it.
"""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "bot-reference.md"

PARTS = {
    "Bot": (
        "arena/bot.py",
        "What a bot may write. A method that it does not write does what is said by default.",
    ),
    "Briefing": ("arena/bot.py", "`self.briefing`, from the start of a game on."),
    "Attack": ("arena/risk/orders.py", ""),
    "Fortify": ("arena/risk/orders.py", ""),
    "View": (
        "arena/risk/view.py",
        "What each method of a bot is handed. The examples are of one position: seat 0 is asked to attack;\n"
        "it holds siam (37) with 4 troops, indonesia (38) with 1, new-guinea (39) with 2, western-australia\n"
        "(40) with 5 and alaska (0) with 1.",
    ),
    "Board": ("arena/risk/board.py", "`view.board`: the map."),
    "Game": ("arena/risk/game.py", "What `view.sample(rng)` gives, to search with: a forward model."),
}
"""Classes in the page's order: file, and a line to begin with."""

ODDS = "arena/risk/odds.py"


def page() -> str:
    """The page's text."""
    lines = [
        "# What a bot answers, sees and may ask",
        "",
        "Written by `make docs` from the docstrings; read [writing-a-bot.md](writing-a-bot.md) first.",
        "The rules, switch by switch (`view.rules`), are in [rules.md](rules.md).",
    ]
    for name, (file, words) in PARTS.items():
        lines += ["", f"## {name}", "", *([words, ""] if words else []), *_class(ROOT / file, name)]
    lines += [
        "",
        "## odds",
        "",
        "`from arena import odds`: exact, for attacks with up to three dice against two.",
    ]
    for node in ast.parse((ROOT / ODDS).read_text()).body:
        if isinstance(node, ast.FunctionDef) and node.name[0] != "_":
            lines += ["", *_function(node, "odds.")]
    return "\n".join(lines) + "\n"


def _class(file: Path, name: str) -> Iterator[str]:
    (node,) = [n for n in ast.parse(file.read_text()).body if isinstance(n, ast.ClassDef) and n.name == name]
    yield _text(node)
    methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
    attributes = list(_attributes(node.body, ast.Name))
    for method in methods:
        if method.name == "__init__":
            attributes += _attributes(method.body, ast.Attribute)
    if any(text for _, text in attributes):
        yield from ("", "| attribute | |", "|---|---|")
        yield from (f"| `{attribute}` | {text} |" for attribute, text in attributes)
    for method in methods:
        if method.name[0] != "_" and ast.get_docstring(method):
            yield from ("", *_function(method, ""))


def _attributes(body: list[ast.stmt], kind: type[ast.Name | ast.Attribute]) -> Iterator[tuple[str, str]]:
    """Public attributes that are annotated there, with the text below them."""
    for statement, following in zip(body, [*body[1:], None], strict=True):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, kind):
            continue
        name = ast.unparse(statement.target).removeprefix("self.")
        text = ""
        if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
            text = " ".join(str(following.value.value).split())
        if name[0] != "_":
            yield name, text.replace("|", "\\|")


def _function(node: ast.FunctionDef, prefix: str) -> Iterator[str]:
    is_property = any(isinstance(d, ast.Name) and d.id == "property" for d in node.decorator_list)
    arguments = [argument.arg for argument in node.args.args if argument.arg != "self"]
    yield f"**`{prefix}{node.name}{'' if is_property else '(' + ', '.join(arguments) + ')'}`**"
    yield ""
    yield _text(node)


def _text(node: ast.ClassDef | ast.FunctionDef) -> str:
    """A docstring as Markdown: what is indented or an example becomes code."""
    text = inspect.cleandoc(ast.get_docstring(node) or "")
    head, examples, tail = text.partition("\n>>> ")
    return head.rstrip() + (f"\n\n```pycon\n>>> {tail}\n```" if examples else "")


if __name__ == "__main__":
    PAGE.write_text(page())
