"""Builds the plugin manager and the registries of what plugins offer."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class BotIdentity:
    """Which bot exactly: what a rating belongs to. A change of any field but `path` is another bot."""

    bot_id: str
    version: str
    options: str
    """As written behind the id, keys sorted (`aggression=0.7,margin=2`); empty for none."""
    source_hash: str
    """Hex digest of the bot's own source."""
    path: str = field(default="", compare=False)
    """Absolute path of the .py file for a bot that is given as a file, else empty."""

    @property
    def name(self) -> str:
        """Id with options, as a person writes it."""
        return f"{self.bot_id}:{self.options}" if self.options else self.bot_id
