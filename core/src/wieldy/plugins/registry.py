"""Names that plugins give, and who gave them."""

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar, overload

from ..exceptions import NameConflictError, UnknownNameError, nearest

T = TypeVar("T")
D = TypeVar("D")


class Registry(Mapping[str, T], Generic[T]):
    """What plugins registered of one kind, by name.

    A name that was given twice is not among the names, and asking for it says who gave it.

    Args:
        kind: What is registered, for messages: "tool".
        package: The name of the package that would bring an unknown name, with `{}` for the name.
    """

    def __init__(self, kind: str, package: str = "") -> None:
        self.kind = kind
        self._package = package
        self._entries: dict[str, list[tuple[str, T]]] = {}

    def add(self, name: str, value: T, provider: str) -> None:
        """Adds what a plugin gives.

        Args:
            name: The name.
            value: What has that name.
            provider: Who gives it: the distribution of the plugin.
        """
        self._entries.setdefault(name, []).append((provider, value))

    def drop(self, provider: str) -> None:
        """Takes out all that a plugin gave."""
        for name, entries in list(self._entries.items()):
            kept = [entry for entry in entries if entry[0] != provider]
            if kept:
                self._entries[name] = kept
            else:
                del self._entries[name]

    def provider(self, name: str) -> str:
        """Returns who gave a name."""
        self[name]
        return self._entries[name][0][0]

    def given_by(self, provider: str) -> list[str]:
        """Returns the names that a plugin gives, those in conflict included."""
        return [
            name
            for name, entries in self._entries.items()
            if any(each == provider for each, _ in entries)
        ]

    def conflicts(self) -> dict[str, list[str]]:
        """Returns the names that were given more than once, and who gave each."""
        return {
            name: [provider for provider, _ in entries]
            for name, entries in self._entries.items()
            if len(entries) > 1
        }

    def __getitem__(self, name: str) -> T:
        entries = self._entries.get(name)
        if entries is None:
            raise UnknownNameError(self.kind, name, self, self._hint(name))
        if len(entries) > 1:
            names = list(dict.fromkeys(provider for provider, _ in entries))
            providers = " and ".join(names) if len(names) > 1 else f"{names[0]} twice"
            msg = (
                f"the {self.kind} {name!r} is given by {providers}: uninstall one of them, or block it "
                "(`[plugins] block = [...]` in wieldy.toml)"
            )
            raise NameConflictError(msg)
        return entries[0][1]

    def __contains__(self, name: object) -> bool:
        return len(self._entries.get(str(name), ())) == 1

    @overload
    def get(self, key: str, /) -> T | None: ...
    @overload
    def get(self, key: str, /, default: T | D) -> T | D: ...
    def get(self, key: str, /, default: object = None) -> object:
        """Returns what has a name, and the default where asking for it would be an error."""
        if key not in self:
            return default
        return self[key]

    def __iter__(self) -> Iterator[str]:
        return (name for name, entries in self._entries.items() if len(entries) == 1)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _hint(self, name: str) -> str:
        if not self._package or nearest(name, self):  # a mistyped name is nothing to install
            return ""
        package = self._package.format(name.replace("_", "-"))
        return f"if a package brings it, install that: pip install {package}"
