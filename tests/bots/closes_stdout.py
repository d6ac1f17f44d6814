"""Closes stdout."""

import sys

from arena import Bot, Briefing


class ClosesStdout(Bot):
    def start(self, briefing: Briefing) -> None:
        sys.stdout.close()
