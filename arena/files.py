"""Text files, with what is wrong about one as an error for a person."""

from importlib.resources.abc import Traversable

from arena.errors import ConfigError


def read_text(file: Traversable) -> str:
    """The text in a file. Raises ConfigError where it cannot be read or is no UTF-8."""
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{file}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: expected UTF-8 text, but byte {error.start} is not") from None
