"""Raises what is no Exception, as an extension module written in Rust does."""


class PanicException(BaseException):
    """No Exception."""


msg = "called `Option::unwrap()` on a `None` value"
raise PanicException(msg)
