"""Signatures of functions that pass on their options."""

import inspect


def options_of(function, *others, without=()):
    """The signature of a function with `**options` replaced by the keywords of `others`, for `help`."""
    own = list(inspect.signature(function).parameters.values())[:-1]
    known = {*without, *(parameter.name for parameter in own)}
    more = [
        parameter
        for other in others
        for parameter in inspect.signature(other).parameters.values()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and parameter.name not in known
    ]
    return inspect.Signature([*own, *more])
