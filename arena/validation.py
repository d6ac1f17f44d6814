"""What pydantic found wrong, in plain words: a line for each fault."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from arena.errors import did_you_mean, shown

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

KEBAB_CASE = r"^[a-z0-9]+(-[a-z0-9]+)*$"
"""The pattern of an id."""

EXPECTED = {
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "dict_type": "a table",
    "finite_number": "a finite number",
    "float_parsing": "a number",
    "float_type": "a number",
    "greater_than": "more than {gt:g}",
    "greater_than_equal": "at least {ge}",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "list_type": "a list",
    "literal_error": "{expected}",
    "model_type": "a table",
    "string_pattern_mismatch": "text that matches {pattern}",
    "string_too_short": "{min_length} or more characters",
    "string_type": "text",
    "too_long": "at most {max_length} entries",
    "too_short": "{min_length} or more entries",
    "tuple_type": "a list",
}
"""By pydantic's type of error; its own words serve where there is none."""


def describe_error(error: "ValidationError", where: str, model: "type[BaseModel]") -> str:
    """A line for each fault that pydantic found: file, field path, what was expected, what it got."""
    return "\n".join(f"{where}: {_describe(fault, model)}" for fault in error.errors())


def _describe(fault: "ErrorDetails", model: "type[BaseModel]") -> str:
    path = ".".join(_place(part) for part in fault["loc"] if part != "[key]")
    if fault["type"] == "extra_forbidden":
        elsewhere = [key for key in _keys(model) if not path.startswith(f"{key}.")]
        message = ": ".join(filter(None, ["unknown key", did_you_mean(path, elsewhere)]))
    elif fault["type"] == "missing":
        message = "this key is missing"
    elif fault["type"] == "value_error":
        message = fault["msg"].removeprefix("Value error, ")
    else:
        message = f"expected {_expected(fault)}, got {_found(fault)}"
    return f"{path}: {message}" if path else message


def _expected(fault: "ErrorDetails") -> str:
    context: dict[str, Any] = fault.get("ctx", {})
    if context.get("pattern") == KEBAB_CASE:
        return "a kebab-case id such as north-africa"
    words = EXPECTED.get(fault["type"], fault["msg"].removeprefix("Input should be "))
    return words.format_map(context)


def _found(fault: "ErrorDetails") -> str:
    length = fault.get("ctx", {}).get("actual_length")
    return shown(fault["input"]) if length is None else str(length)


def _keys(model: "type[BaseModel]") -> Iterator[str]:
    """The paths of all fields that have a name of their own."""
    from pydantic import BaseModel  # noqa: PLC0415 - only where something is wrong

    for name, field in model.model_fields.items():
        yield field.alias or name
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from (f"{name}.{key}" for key in _keys(field.annotation))


def _place(part: str | int) -> str:
    text = str(part)
    return text if text.isprintable() and len(text) <= 40 else shown(text)
