"""Tests of edits.py. They need no data: python3 benches/edits_test.py"""

import random, sys, unittest
from pathlib import Path

sys.dont_write_bytecode = True
import edits

TEXTS = {
    "en": "The harbour was closed for eleven days after the storm, and the people who keep it open met in the modern hall to learn what could be done. ",
    "zh": "港口在风暴之后关闭了十一天，维护港口的人们在新的大厅里开会，想知道还可以做些什么，也要说明以后怎样更快地重新开放。",
    "de": "Der Hafen war nach dem Sturm elf Tage lang geschlossen, und die Leute, die ihn offen halten, trafen sich im großen Saal, um zu hören, was möglich ist. ",
    "ko": "폭풍이 지나간 뒤 항구는 열하루 동안 닫혀 있었고 항구를 지키는 사람들은 새 회관에 모여 무엇을 할 수 있는지 이야기했다. "}


def distance(a, b):
    """Letters inserted, deleted or substituted, at least."""
    row = list(range(len(b) + 1))
    for at, one in enumerate(a, 1):
        before, row[0] = row[0], at
        for to, other in enumerate(b, 1):
            before, row[to] = row[to], min(before + (one != other), row[to] + 1, row[to - 1] + 1)
    return row[-1]


class Edits(unittest.TestCase):
    def test_each_kind_edits_as_many_letters_as_asked(self):
        for language, kinds in edits.KINDS.items():
            text = TEXTS[language] * 2
            for kind in [*kinds, "mixed"]:
                for rate in (0.02, 0.15):
                    with self.subTest(language=language, kind=kind, rate=rate):
                        changed = distance(text, edits.edit(text, kind, rate, random.Random(1), language))
                        # A misread m is two letters, a dropped word takes its space with it, and the words that are left may be too long to drop.
                        self.assertLessEqual(abs(changed - rate * edits.letters(text)), 3 + 0.4 * rate * edits.letters(text))

    def test_nothing_is_edited_at_no_rate(self):
        for language, text in TEXTS.items():
            for kind in edits.KINDS[language]:
                self.assertEqual(edits.edit(text, kind, 0, random.Random(1), language), text)

    def test_edits_are_the_same_in_each_run(self):
        self.assertEqual(edits.edit("modern harbour", "ocr", 0.3, random.Random("a"), "en"), edits.edit("modern harbour", "ocr", 0.3, random.Random("a"), "en"))
        texts = [("set", f"page {number}", TEXTS["en"]) for number in range(24)]
        once, again = (list(edits.noisy(texts, "en", 0.05)) for _ in range(2))
        self.assertEqual(once, again)
        self.assertEqual(sorted({kind for kind, _ in once}), sorted([*edits.KINDS["en"], "mixed"]))

    def test_what_kinds_do(self):
        all_of = lambda text, kind, language="en": edits.edit(text, kind, 1, random.Random(1), language)
        self.assertEqual(all_of("aB3", "case"), "Ab3")
        self.assertEqual(all_of("cope", "lookalike"), "соре")
        self.assertEqual(all_of("x", "leet"), "x")
        self.assertEqual(all_of("ab", "swap"), "ba")
        self.assertIn(edits.misread("arn", 1, random.Random(2)), ("am", "orn", "aru", "avn"))
        self.assertNotIn("己", all_of("己", "ocr", "zh"))
        self.assertNotIn("在", all_of("在", "sound", "zh"))
        self.assertEqual(all_of("매", "sound", "ko"), "메")
        for table in (edits.LOOKS, edits.SOUNDS, edits.HANGUL_LOOKS, edits.HANGUL_SOUNDS):
            for letter, others in table.items():
                self.assertTrue(others and letter not in others)

    def test_passages_have_the_wanted_length(self):
        for language, text in TEXTS.items():
            page = "\n\n".join([text * 2] * 200)
            for length, (fewest, most) in edits.LENGTHS.items():
                found = list(edits.passages(page, language, length, random.Random(1)))
                self.assertTrue(found)
                # Half words of Chinese sentences do not count.
                self.assertTrue(all(fewest <= edits.words(passage, language) <= 1.05 * most for passage in found))

    def test_languages_are_told_apart(self):
        for language in TEXTS:
            self.assertEqual([other for other in TEXTS if edits.in_language(TEXTS[other], language)], [language])
        self.assertFalse(edits.in_language("這個選項會關閉視窗，並且顯示說明，讓使用者開始設計組織。", "zh"))


if __name__ == "__main__":
    unittest.main()
