"""The command line: thin commands that parse, call one library function and print.

Data goes to stdout, progress and messages to stderr. The modules of the commands import only click at their
top, so that `arena --help` answers at once.
"""

import traceback
from importlib import import_module
from typing import Any

import click
from click.exceptions import Exit

from arena.errors import ArenaError

COMMANDS = {
    "run": "arena.cli.run",
    "standings": "arena.cli.results",
    "compare": "arena.cli.compare",
    "plan": "arena.cli.plan",
    "games": "arena.cli.results",
    "show": "arena.cli.results",
    "faults": "arena.cli.results",
    "replay": "arena.cli.check",
    "verify": "arena.cli.check",
    "new": "arena.cli.author",
    "check": "arena.cli.author",
    "test-positions": "arena.cli.author",
    "bots": "arena.cli.listing",
    "editions": "arena.cli.listing",
    "maps": "arena.cli.listing",
    "tournaments": "arena.cli.listing",
    "plugins": "arena.cli.listing",
}
"""Command to the module that holds it under its own name, in the order of the help page."""


class ArenaGroup(click.Group):
    """Commands loaded when called, and the one place where an error becomes an exit code.

    An ArenaError is one line; a bug of ours keeps its traceback.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the order of COMMANDS."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, or None."""
        if cmd_name not in COMMANDS:
            return None
        command = getattr(import_module(COMMANDS[cmd_name]), f"{cmd_name.replace('-', '_')}_command")
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except ArenaError as error:
            click.echo(f"arena: {error}", err=True)
            ctx.exit(error.exit_code)
        except KeyboardInterrupt:
            click.echo("arena: interrupted", err=True)
            ctx.exit(130)
        except (click.ClickException, click.Abort, Exit, BrokenPipeError):
            raise  # click deals with these
        except Exception:
            traceback.print_exc()
            ctx.exit(2)


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        import arena
        from arena.risk.compiled import describe_build

        click.echo(f"arena {arena.__version__} ({describe_build()} core)")
        ctx.exit()


@click.group(cls=ArenaGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version.",
)
def main() -> None:
    """Tournaments of AI bots that play Risk: seeded, parallel, resumable, rated."""
