"""Never sits down."""

from arena import Bot, Briefing


class HangAtStart(Bot):
    def start(self, briefing: Briefing) -> None:
        while True:
            pass
