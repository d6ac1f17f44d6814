"""Leaves programs behind in sessions of their own, one with an empty environment."""

import subprocess

from arena import Bot, Briefing


class Daemon(Bot):
    def start(self, briefing: Briefing) -> None:
        subprocess.Popen(["setsid", "--fork", "sleep", "1000"]).wait()
        subprocess.Popen(["setsid", "--fork", "sleep", "1000.5"], env={}).wait()
