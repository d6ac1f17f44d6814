"""Sets an alarm in round 2 and forgets it."""

from signal import ITIMER_REAL, setitimer

from arena import Bot
from arena.bot import Attack, View


class Alarm(Bot):
    def attack(self, view: View) -> Attack | None:
        if view.round == 2:
            setitimer(ITIMER_REAL, 0.001)
        return None
