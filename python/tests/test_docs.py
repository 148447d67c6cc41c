"""What the docs say runs."""

import doctest
import pathlib
import re

import pytest
import retold

ROOT = pathlib.Path(__file__).resolve().parents[2]


def documented():
    for name in ["retold", *(f"retold.{name}" for name in retold.__all__)]:
        thing = eval(name)
        yield name, getattr(thing, "__doc__", None)
        if isinstance(thing, type):
            for member, value in vars(thing).items():
                if not member.startswith("_"):
                    # Of the member itself: a static method in `vars` has the docstring of all static methods.
                    yield f"{name}.{member}", getattr(thing, member).__doc__


def shows_itself(name):
    """Functions and classes have an example; attributes are in that of their class, and exceptions are raised by the others."""
    thing = eval(name)
    return callable(thing) and not (isinstance(thing, type) and issubclass(thing, BaseException))


def test_everything_public_has_a_docstring_and_examples_hold():
    shown = 0
    for name, text in documented():
        if name == "retold.__version__":
            continue
        assert text, f"{name} has no docstring"
        test = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
        if shows_itself(name):
            assert test.examples, f"the docstring of {name} has no example"
            shown += 1
        result = doctest.DocTestRunner(verbose=False).run(test)
        assert result.failed == 0, name
    assert shown > 40


@pytest.mark.parametrize("page", ["docs/guide/python.md", "README.md", "README.zh.md"])
def test_the_code_of_the_guide_runs(page, tmp_path, monkeypatch):
    # test_recipes.py runs the recipes.
    text = (ROOT / page).read_text().partition("\n## Recipes\n")[0]
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert blocks
    monkeypatch.chdir(ROOT)
    names = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)


def test_the_reference_names_everything_public():
    text = (ROOT / "docs/reference/python.md").read_text()
    for name in retold.__all__:
        assert f"`{name}" in text or f"`retold.{name}" in text, f"docs/reference/python.md does not name {name}"
