"""Hides secrets in what an attempt writes."""

from __future__ import annotations

import json
from typing import Any, Callable, Collection, Iterator
from urllib.parse import quote, quote_plus

from .item import Item

#: A shorter secret would blacken words that only look like it.
_SHORTEST = 8

#: Gives a text without the secrets in it.
Mask = Callable[[str], str]


def mask_of(item: Item, secret_names: Collection[str]) -> Mask:
    """Makes the mask of an attempt.

    It hides the texts that the attempt was given under one of these names, however deep, also as
    they are written in Python, in JSON and in addresses, and their lines, which a log may have one
    by one. The gateway masks all secrets that it knows of once more.
    """
    given = (item.parameters, item.results, item.forward_output)
    texts = set(_secrets(given, secret_names))
    lines = {line for text in texts for line in text.splitlines()}
    found = {text for text in texts | lines if len(text) >= _SHORTEST}
    secrets = sorted({form for text in found for form in _forms(text)}, key=len, reverse=True)

    def mask(text: str) -> str:
        for secret in secrets:
            text = text.replace(secret, "***")
        return text

    return mask


def _forms(text: str) -> Iterator[str]:
    yield text
    yield repr(text)[1:-1]
    yield json.dumps(text)[1:-1]
    yield json.dumps(text, ensure_ascii=False)[1:-1]
    yield quote(text, safe="", errors="replace")
    yield quote_plus(text, errors="replace")


def _secrets(value: Any, names: Collection[str]) -> Iterator[str]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield from _texts(member) if name in names else _secrets(member, names)
    elif isinstance(value, (list, tuple)):
        for member in value:
            yield from _secrets(member, names)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _texts(member)
