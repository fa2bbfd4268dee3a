"""A run on a terminal: highlighted, folded, and with a spinner while something runs."""

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.live import Live
from rich.markdown import Markdown
from rich.padding import Padding
from rich.rule import Rule
from rich.spinner import Spinner
from rich.text import Text

from ..messages import ToolCallContent
from .transcript import Transcript


class LiveDisplay(Transcript):
    """Shows what happens, and what is running right now. Use it as `with LiveDisplay(console):`.

    All text goes to rich as `Text` or Markdown: square brackets in it are never markup.

    Args:
        console: The terminal.
    """

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console
        self._doing = _Doing(console)
        self._live = Live(
            self._doing,
            console=console,
            transient=True,
            refresh_per_second=10,
            redirect_stderr=sys.stderr.isatty(),
        )

    def __enter__(self) -> Self:
        self._live.start()
        self.busy("opening the sandbox", time.monotonic())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.busy("", 0.0)
        self._live.stop()

    def turn(self, number: int, facts: str) -> None:
        """Shows that a model has answered."""
        line = Text.assemble((f"● turn {number}", "bold cyan"), (f"  {facts}", "dim"))
        self._print(Text(""), line)

    def said(self, text: str) -> None:
        """Shows what a model said."""
        self._print(Padding(_markdown(text), (0, 0, 0, 2)))

    def called(self, view: ToolCallContent) -> None:
        """Shows a call: code is highlighted."""
        is_markdown = view.format == "markdown"
        content = _markdown(view.content) if is_markdown else Text(view.content)
        self._print(Text(f"  ▸ {view.title}", "bold"), Padding(content, (0, 0, 0, 4)))

    def answered(self, lines: list[str], facts: str, *, failed: bool) -> None:
        """Shows the result of the call that was shown last."""
        style, mark = ("red", "✗") if failed else ("dim", "✓")
        result = Text("\n".join(lines), style)
        self._print(Padding(result, (0, 0, 0, 4)), Text(f"    {mark} {facts}", style))

    def note(self, text: str, *, failed: bool = False) -> None:
        """Shows a line about the run itself."""
        self._print(Text(f"  {text}", "red" if failed else "yellow"))

    def answer(self, text: str, facts: str) -> None:
        """Shows the answer of the whole run."""
        self._print(Text(""), Rule(Text(facts, "dim"), style="dim", align="left"))
        if text:
            self._print(_markdown(text))

    def busy(self, doing: str, since: float) -> None:
        """Shows what is running now."""
        self._doing.change(doing, since)

    def _print(self, *parts: RenderableType) -> None:
        for part in parts:
            self._console.print(part)


class _Doing:
    """The line at the bottom: what runs, and for how long."""

    def __init__(self, console: Console) -> None:
        # The dots are Braille, which only Unicode has.
        name = "dots" if console.encoding.startswith("utf") else "line"
        self._spinner = Spinner(name, style="cyan")
        self._now = "", 0.0

    def change(self, what: str, since: float) -> None:
        """Says what is running from now on; empty for nothing."""
        self._now = what, since

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        what, since = self._now  # one value: another thread draws
        if what:
            text = f"{what} · {time.monotonic() - since:.1f} s"
            self._spinner.update(text=Text(text, "dim", no_wrap=True, overflow="ellipsis"))
            yield self._spinner


def _markdown(text: str) -> Markdown:
    # Addresses stay visible: a link on a terminal can hide where it leads.
    return Markdown(text, hyperlinks=False)


def terminal() -> Console | None:
    """Returns the terminal on the standard output; None where there is none, or only a dumb one."""
    console = Console(highlight=False, markup=False, emoji=False)
    return console if sys.stdout.isatty() and console.is_interactive else None
