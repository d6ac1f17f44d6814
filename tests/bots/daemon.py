"""Leaves a program behind in a session of its own."""

import subprocess

from arena import Bot, Briefing


class Daemon(Bot):
    def start(self, briefing: Briefing) -> None:
        subprocess.Popen(["setsid", "--fork", "sleep", "1000"]).wait()
