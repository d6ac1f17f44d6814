"""Views that a bot cannot change, in the pure build too: in the compiled one they are so by themselves."""

from typing import NoReturn

from arena.risk.compiled import describe_build
from arena.risk.view import View

if describe_build() == "pure":

    class SealedView(View):
        """A view whose attributes are read-only."""

        __slots__ = ()

        def __setattr__(self, name: str, value: object) -> NoReturn:
            raise AttributeError(f"attribute {name!r} of a view is read-only")

        def __delattr__(self, name: str) -> NoReturn:
            raise AttributeError(f"attribute {name!r} of a view is read-only")

    SealedView.__name__ = SealedView.__qualname__ = View.__name__  # what errors and reprs call it

    def seal(view: View) -> View:
        """The same view, sealed: a guard in View itself would make each of its own settings slow."""
        view.__class__ = SealedView
        return view

else:

    def seal(view: View) -> View:
        """The view as it is."""
        return view
