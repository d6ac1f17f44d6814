"""The command line: thin commands that parse, call one library function and print.

Data goes to stdout, progress and messages to stderr. The modules of the commands import only click at their
top, so that `arena --help` answers at once.
"""

import traceback
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

import click
from click.exceptions import Exit, NoSuchCommand

from arena.cli.signals import interruptible
from arena.cli.streams import checked_streams
from arena.errors import READER_GONE, ArenaError, OutputLost

T = TypeVar("T")

COMMANDS = {
    "run": "arena.cli.run",
    "status": "arena.cli.control",
    "stop": "arena.cli.control",
    "standings": "arena.cli.standings",
    "matrix": "arena.cli.matrix",
    "compare": "arena.cli.compare",
    "plan": "arena.cli.plan",
    "games": "arena.cli.results",
    "show": "arena.cli.results",
    "faults": "arena.cli.results",
    "replay": "arena.cli.replay",
    "verify": "arena.cli.replay",
    "new": "arena.cli.author",
    "check": "arena.cli.author",
    "test-positions": "arena.cli.author",
    "bots": "arena.cli.listing",
    "editions": "arena.cli.listing",
    "maps": "arena.cli.listing",
    "tournaments": "arena.cli.listing",
    "plugins": "arena.cli.listing",
    "bench": "arena.cli.bench",
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

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click's, with what may have been meant: click knows no commands that are not loaded."""
        try:
            return super().resolve_command(ctx, args)
        except NoSuchCommand as error:
            raise NoSuchCommand(error.command_name, possibilities=COMMANDS, ctx=ctx) from None

    def main(self, *args: Any, **extra: Any) -> Any:
        """As click's, with standard streams to count on and signals that end it cleanly."""
        with checked_streams(), interruptible():
            return super().main(*args, **extra)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Parse the arguments."""
        return _end_clearly(lambda: super(ArenaGroup, self).make_context(*args, **extra))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        return _end_clearly(lambda: super(ArenaGroup, self).invoke(ctx))


def _end_clearly(step: Callable[[], T]) -> T:
    """What the step returns. Raises Exit with its exit code for whatever it raises, once that is told."""
    try:
        try:
            return step()
        except ArenaError as error:
            for line in str(error).splitlines():
                click.echo(f"arena: {line}", err=True)
            raise Exit(error.exit_code) from None
        except click.ClickException as error:
            error.show()
            raise Exit(error.exit_code) from None
        except KeyboardInterrupt as interrupt:
            click.echo(": ".join(["arena: interrupted", *map(str, interrupt.args)]), err=True)
            raise Exit(130) from None
        except Exit:
            raise
        except OutputLost as lost:
            if lost.exit_code != READER_GONE:
                click.echo(f"arena: {lost}", err=True)
            raise Exit(lost.exit_code) from None
        except Exception:
            traceback.print_exc()
            raise Exit(2) from None
    except OutputLost as lost:  # where that would be told
        raise Exit(lost.exit_code) from None


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
