"""The version of this package, and the number of the protocol that it speaks."""

VERSION = "0.1.0"

#: The worker protocol: the value of the header ``Backstep-Worker-Protocol``.
PROTOCOL = 1
