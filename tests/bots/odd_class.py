"""Ends the process when its class is looked at."""

import os
from typing import Any

from arena import Bot


class Meta(type(Bot)):  # type: ignore[misc]
    def __getattribute__(cls, name: str) -> Any:
        if name == "defend":
            os._exit(6)
        return super().__getattribute__(name)


class OddClass(Bot, metaclass=Meta):
    pass
