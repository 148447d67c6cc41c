"""Texts of the labelled sets, and what misreading, mistyping and disguise make of them: the data of benches/noise.

The kinds are those of W4NT3D, the benchmark of RETSim (Zhang et al. 2023): letters inserted, deleted, substituted and swapped, words dropped, spaces,
case, look-alike letters, leet and emoji. Added are the usual confusions of scanners, which in Chinese are characters that look alike and in Korean
letters that do, and those of people who type by sound (Chinese, Korean). Everything is drawn with fixed seeds, so that each run has the same data."""

import collections, json, random, re, unicodedata, zlib
from pathlib import Path

LANGUAGES = ("en", "zh", "de", "ko")
#: Fewest and most words of a text. Two characters of Chinese count as a word.
LENGTHS = {"short": (20, 60), "middle": (60, 120), "long": (300, 600)}
#: Sets whose pages are plain text, but for those that were made by planting.
SETS = "ocrnews polished plays advisories cpperrors npm-licences haystack-zh eventmonitor vszh wxvl howtocook msadvisories krpress peer20k".split()
COMMON = {"en": set("the and of to is in that for with are this be as it on a was by or not".split()),
          "de": set("der die das und ist nicht den von zu für auf eine ein werden wird sich des dem mit im oder wenn".split())}
TRADITIONAL = set("這個們說時來對會為國學過後開關無發從動實現點長問間進當還樣與應將頭經給讓見機體電話處設計資訊號數據檔類單標題選擇項變輸圖視窗釋鏈書網連線頁語義組織級鍵記錄執顯")

KINDS = {"en": "insert delete substitute swap drop space case lookalike leet emoji ocr".split(),
         "zh": "insert delete substitute swap drop space emoji ocr sound".split()}
KINDS |= {"de": KINDS["en"], "ko": KINDS["zh"]}

EMOJI = "😀😂🥰😎🤔😭🙏👍👏🔥✨🎉❤💯🚀🌈🍕🐱🌞⭐"
LEET = {"a": "4@", "b": "8", "e": "3", "g": "9", "i": "1!", "l": "1", "o": "0", "s": "5$", "t": "7+", "z": "2"}
LOOKALIKES = dict(zip("aceiopsxyjdghlnuvwqrkmtbABCEHIKMOPSTXYZN", "асеіорѕхујԁɡһӏոսνԝԛгкмтЬАВСЕНІКМОРЅТХҮΖΝ")) | {"ä": "ӓ", "ö": "ӧ", "ß": "β", "f": "ƒ", "z": "ᴢ"}
OCR = [pair.split(">") for pair in """rn>m m>rn l>1 l>I I>l 1>l i>l cl>d d>cl h>b b>h e>c c>e o>0 O>0 0>O S>5 5>S u>n n>u u>ii f>t t>f w>vv vv>w li>h ri>n a>o g>q
B>8 8>B r>v y>v s>f k>lc D>O G>C E>F ü>ii ä>a ö>o ß>B""".split()]
#: Characters that scanners confuse because they look alike.
LOOKS = """己已巳 未末 土士工 人入八 日曰目 大太犬 天夫无 王玉主 木本术 睛晴情清请 待侍持特 侯候 拨拔 折拆析 治冶 微徽 崇祟 戌戊戍成 免兔 鸟乌 住往佳 今令 干千于 万方 刀力九 几儿凡
午牛 田由甲申 白自百 问间闻 处外 风凤 贝见 了子 上土 下不 小少 中申 在左存 有友 的约 是定 他地也 们门 这过 来末 个介 国围图 时对 说话 用甩 出击 会合 可司 和私 作昨 要耍 年车 发友 经径轻
家象 方力 部陪 员贝 全金 公么 分兮 行衍 政故 市布 民氏 产严 业亚 设没 建健 理埋 进讲 开井 关美 体休 信言 系糸 统流 安女 网冈 络给 数教 据居 文又 件仵 使便 名各 称你 程和 序予 代伐 码玛 址扯
被披 提担 供洪 式武 法怯 如加 果呆 需雷 确碓 认队 识织 别列 新所 闻间 电申 话活 记纪 者老 表麦 示宗 第弟 次欠 此比 同问 向句 后右 月用 目自 前削 长卡 高亮 机杌 收攻 起赶 路跑 区匹 学字 生主
为办 以似 及乃 其具 或域 之乏 与写 从丛 两雨 但但旦 还坏 只兄 将奖 当尖 已己 很根 没设 得碍 都郁 着看 样祥 就京 多夕 能熊 元无 力刀 口日 手毛 心必 水永 火灰 立位 占古 旧归 由曲 世也 东乐 西四 南献""".split()
#: Characters that are typed for each other because they sound alike.
SOUNDS = """的得地 在再载 他她它 做作坐 以已一义意议易 是事市式试世室示视使始 有又友右由油 不部布步 人认任 中种重众终 国过果 会回汇惠 和合河何核 这者着 个各 上尚 大打达 为位未委围 来赖 到道导 时十实石识 要药耀
就旧救究 出初除处 可科课客克 对队 生声升胜省 能嫩 而二儿尔 子字自资 那哪拿 年念 发法罚 成城程承称 行形型性姓 经京精警境 用永勇 同通统童 面免 分份纷 行航 动东冬懂 工公共功攻 力立利理例历 进近今金尽 员元原员远
全权 进晋 机记计及其己际级技集 系西息习希席 信新心欣 说硕 情清请轻 请庆 现线先显限 门们 明名命 民敏 开凯 关管官馆 小校效晓 长常场厂 长张章 将讲江奖 方放房防 本奔 主住注助著 加家价假 家佳 高告 应英影营赢 政正证争整
制治质指直志 之只知支止职 期七起气器企 前钱千签 后候厚 天田填 还海害 没每美 与于语育预余 如入 所索锁 此次词 从丛 电店点典 话化华画 路录陆露 数书属术树 据具局举句 网王往望 安案按 被备北背 并病兵 提题体 给己 下夏
里礼 无五务物武 问文闻稳 学血雪 也业夜页 已亿 没梅 很恨 都督 样洋养阳央 多夺 只纸 但单担 因音银印引 两量 接结节解界街 月越约 水睡 手首受收 见建件间健 第地弟低底 三散 设社射涉 保报宝 表标 比笔 产铲 向想象项相 服福复府付富负 公宫
达答 反范返 费飞非 改该 感敢 功供 规贵归 护户互 基积击激 技寄 交教较叫 决觉 看砍 空控 亮谅 六留流 满慢 目木幕 内那 品频 平评瓶 强墙 求球 区取去趣 让嚷 容荣 善山 少烧 深身神 师诗失施 速宿诉 随虽岁 太泰 台抬 特忒 完玩晚 微威 希析
先鲜 严言研演验眼 艺议 由游 愿院 早造 增赠 展站占战 真针 整证 致至 专转 组族足 最罪 左昨""".split()
#: Korean letters (of decomposed syllables) that look alike, and that sound alike.
HANGUL_LOOKS = [("ᄆ", "ᄋ"), ("ᄀ", "ᄏ"), ("ᄃ", "ᄐ"), ("ᄇ", "ᄑ"), ("ᄌ", "ᄎ"), ("ᄒ", "ᄋ"), ("ᅡ", "ᅣ"), ("ᅥ", "ᅧ"), ("ᅩ", "ᅭ"), ("ᅮ", "ᅲ"), ("ᆷ", "ᆼ")]
HANGUL_SOUNDS = [("ᅢ", "ᅦ"), ("ᅬ", "ᅫ"), ("ᅤ", "ᅨ"), ("ᅬ", "ᅰ"), ("ᆺ", "ᆮ"), ("ᆺ", "ᆽ"), ("ᆻ", "ᆺ"), ("ᆨ", "ᆩ"), ("ᆸ", "ᇁ"), ("ᅩ", "ᅮ"), ("ᅥ", "ᅩ"), ("ᅳ", "ᅮ"), ("ᄀ", "ᄁ"), ("ᄃ", "ᄄ"), ("ᄇ", "ᄈ"), ("ᄌ", "ᄍ")]


def groups(lists):
    """For each character the others of its groups."""
    found = collections.defaultdict(str)
    for group in lists:
        for one in group:
            found[one] += "".join(other for other in dict.fromkeys(group) if other != one and other not in found[one])
    return dict(found)


LOOKS, SOUNDS, HANGUL_LOOKS, HANGUL_SOUNDS = map(groups, (LOOKS, SOUNDS, HANGUL_LOOKS, HANGUL_SOUNDS))


def letters(text):
    return sum(map(str.isalnum, text))


def spaced(language):
    return language != "zh"


def words(text, language):
    return len(text.split()) if spaced(language) else letters(text) // 2


def edit(text, kind, rate, chance, language="en"):
    """The text with edits of a kind at `rate` of its letters; the kind `mixed` has three kinds at a third of the rate each."""
    if kind == "mixed":
        for one in chance.sample(KINDS[language], 3):
            text = edit(text, one, rate / 3, chance, language)
        return text
    budget = round(rate * letters(text))
    return EDITS[kind](text, budget, chance)


def at_letters(text, budget, chance, change):
    """`change` at up to `budget` letters. It gives what stands there then, or None if it has nothing for that letter."""
    out = list(text)
    places = [at for at, letter in enumerate(text) if letter.isalnum()]
    chance.shuffle(places)
    for at in places:
        if not budget:
            break
        new = change(text[at])
        if new is not None:
            out[at] = new
            budget -= 1
    return "".join(out)


def drawn(text, chance, but=""):
    """A letter of the text."""
    while not (letter := chance.choice(text)).isalnum() or letter == but:
        pass
    return letter


def insert(text, budget, chance):
    return at_letters(text, budget, chance, lambda letter: letter + drawn(text, chance))


def delete(text, budget, chance):
    return at_letters(text, budget, chance, lambda letter: "")


def substitute(text, budget, chance):
    return at_letters(text, budget, chance, lambda letter: drawn(text, chance, letter))


def swap(text, budget, chance):
    """Neighbouring letters change places; such a pair counts as two letters."""
    out, places, done = list(text), list(range(len(text) - 1)), set()
    chance.shuffle(places)
    for at in places:
        if budget < 1:
            break
        a, b = text[at:at + 2]
        if a.isalnum() and b.isalnum() and a != b and not done & {at, at + 1}:
            out[at:at + 2] = b, a
            done |= {at, at + 1}
            budget -= 2
    return "".join(out)


def drop(text, budget, chance):
    """Whole words go; in Chinese two characters at a time. All their letters count."""
    found = [match.span() for match in re.finditer(r"[\u4e00-\u9fff]{2}|[^\W\u4e00-\u9fff]+ ?", text)]
    chance.shuffle(found)
    gone = []
    for begin, end in found:
        size = letters(text[begin:end])
        if size <= budget:
            gone.append((begin, end))
            budget -= size
    for begin, end in sorted(gone, reverse=True):
        text = text[:begin] + text[end:]
    return text


def space(text, budget, chance):
    """A space inside a word, or none between two words."""
    inside = [at for at in range(1, len(text)) if text[at - 1].isalnum() and text[at].isalnum()]
    between = [at for at in range(1, len(text) - 1) if text[at] == " " and text[at - 1].isalnum() and text[at + 1].isalnum()]
    gone = set(chance.sample(between, min(len(between), budget // 2)))
    new = set(chance.sample(inside, min(len(inside), budget - len(gone))))
    return "".join(" " * (at in new) + letter * (at not in gone) for at, letter in enumerate(text))


def case(text, budget, chance):
    return at_letters(text, budget, chance, lambda letter: letter.swapcase() if letter.swapcase() != letter else None)


def lookalike(text, budget, chance):
    return at_letters(text, budget, chance, LOOKALIKES.get)


def leet(text, budget, chance):
    return at_letters(text, budget, chance, lambda letter: chance.choice(LEET[letter.lower()]) if letter.lower() in LEET else None)


def emoji(text, budget, chance):
    """An emoji after a word or, if there are more emoji than words, after any letter; each counts as a letter."""
    ends = [at for at in range(1, len(text)) if text[at - 1].isalnum() and not text[at].isalnum()]
    other = [at for at in range(1, len(text)) if text[at - 1].isalnum() and text[at].isalnum()]
    places = chance.sample(ends, min(budget, len(ends)))
    places = set(places + chance.sample(other, min(budget - len(places), len(other))))
    return "".join(chance.choice(EMOJI) * (at in places) + letter for at, letter in enumerate(text))


def ocr(text, budget, chance):
    """What scanners misread: rn and m, l and 1 and I; Chinese characters and Korean letters that look alike."""
    if sum("a" <= letter.lower() <= "z" for letter in text) > letters(text) / 2:
        return misread(text, budget, chance)
    return alike(text, budget, chance, LOOKS, HANGUL_LOOKS)


def misread(text, budget, chance):
    places = [(match.start(), old, new) for old, new in OCR for match in re.finditer(re.escape(old), text)]
    chance.shuffle(places)
    out, done = list(text), set()
    for at, old, new in places:
        if budget < 1:
            break
        span = set(range(at, at + len(old)))
        if not span & done:
            out[at:at + len(old)] = [new] + [""] * (len(old) - 1)
            done |= span
            budget -= 1
    return "".join(out)


def sound(text, budget, chance):
    """What is typed for a character or letter that sounds alike."""
    return alike(text, budget, chance, SOUNDS, HANGUL_SOUNDS)


def alike(text, budget, chance, han, hangul):
    def change(letter):
        if letter in han:
            return chance.choice(han[letter])
        parts = list(unicodedata.normalize("NFD", letter)) if "가" <= letter <= "힣" else []
        places = [at for at, part in enumerate(parts) if part in hangul]
        if places:
            at = chance.choice(places)
            parts[at] = chance.choice(hangul[parts[at]])
            return unicodedata.normalize("NFC", "".join(parts))

    return at_letters(text, budget, chance, change)


EDITS = {f.__name__: f for f in (insert, delete, substitute, swap, drop, space, case, lookalike, leet, emoji, ocr, sound)}


def in_language(text, language):
    share = lambda first, last: sum(first <= letter <= last for letter in text) / max(1, sum(map(str.isalpha, text)))
    if language == "zh":
        # Simplified characters only: some manuals are there in both, word for word.
        return share("一", "鿿") > 0.7 and share("ぁ", "ヿ") < 0.01 and sum(letter in TRADITIONAL for letter in text) < 0.02 * len(text)
    if language == "ko":
        return share("가", "힣") > 0.6
    tokens = text.lower().split()
    return len(text.encode()) < 1.1 * len(text) and sum(token in COMMON[language] for token in tokens) > 0.2 * len(tokens)


def mostly(text, language):
    """Whether a page may have much text in a language: a quick look at some of its letters."""
    some = text[len(text) // 4:][:2000]
    count = lambda first, last: sum(first <= letter <= last for letter in some)
    if language == "zh":
        return count("一", "鿿") > 0.3 * len(some)
    if language == "ko":
        return count("가", "힣") > 0.2 * len(some)
    tokens = some.lower().split()
    return sum(token in COMMON[language] for token in tokens) > 0.12 * len(tokens)


def sentences(text, language):
    """The sentences of a page's paragraphs of prose."""
    text = re.sub(r"</?\w[^<>]*>", "", text)
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*[-*#|])" if spaced(language) else r"\n", text):
        paragraph = re.sub(r"\s+", " ", paragraph).strip()
        if spaced(language):
            paragraph = re.sub(r"(\w)‐ (\w)", r"\1\2", paragraph)
        if letters(paragraph) < 0.75 * len(re.sub(r"\s", "", paragraph)) or not re.search(r"[.!?。！？]", paragraph):
            continue
        yield from filter(None, re.split(r"(?<=[.!?]) (?=\W*\w)|(?<=[。！？])", paragraph))


def passages(text, language, length, chance):
    """Texts of the wanted length from a page, in order; they do not overlap."""
    fewest, most = LENGTHS[length]
    taken, size, target = [], 0, chance.randint(fewest, most)
    for sentence in sentences(text, language):
        more = words(sentence, language)
        if size + more > most:
            taken, size = [], 0
            if more > most:
                continue
        taken.append(sentence.strip())
        size += more
        if size >= target:
            passage = (" " if spaced(language) else "").join(taken)
            if in_language(passage, language):
                yield passage
            taken, size, target = [], 0, chance.randint(fewest, most)


def one_of_each(folder):
    """The pages of a set with a text, one of each group of pages that its labels connect in any way."""
    pages = {page["id"]: page["text"] for page in map(json.loads, open(folder / "pages.jsonl")) if page.get("text")}
    root = {}

    def first(page):
        while root.setdefault(page, page) != page:
            root[page] = root[root[page]]
            page = root[page]
        return page

    if (folder / "gold.tsv").exists():
        for line in open(folder / "gold.tsv"):
            a, b, label = line.rstrip("\n").split("\t")[:3]
            if label != "distinct" and a in pages and b in pages:
                # The name that comes first stays: transcripts (hand-) before what scanners read (ocr-), originals before their versions.
                a, b = sorted((first(a), first(b)))
                root[b] = a
    return {page: text for page, text in pages.items() if first(page) == page}


def runs(text, language, length):
    """The runs of four words, or of eight letters of Chinese, as numbers; of long texts a quarter of them."""
    parts = re.findall(r"\w+", text.lower()) if spaced(language) else [letter for letter in text if letter.isalnum()]
    width = 4 if spaced(language) else 8
    found = {zlib.crc32(" ".join(parts[at:at + width]).encode()) for at in range(max(1, len(parts) - width + 1))}
    return {run for run in found if run % 4 == 0} if length == "long" else found


def collection(data, language, length, count, seed=1):
    """Up to `count` texts, (set, page, text): in turn one of each set, first one of each page, then the next of each page. Texts that share more than a
    twentieth of their runs of words with earlier ones are left out, so that no two of the collection are copies."""
    sets = []
    for name in SETS:
        if (data / name / "pages.jsonl").exists():
            pages = [(page, text) for page, text in one_of_each(data / name).items() if mostly(text, language)]
            random.Random(f"{seed} {language} {length} {name}").shuffle(pages)
            sets.append([(name, page, passages(text, language, length, random.Random(f"{seed} {language} {length} {name} {page}"))) for page, text in pages])
    seen, found = set(), []
    while any(sets):
        more = [[] for _ in sets]
        for at in range(max(map(len, sets))):
            for pages, left in zip(sets, more):
                if at < len(pages) and len(found) < count and (passage := next(pages[at][2], None)):
                    left.append(pages[at])
                    own = runs(passage, language, length)
                    if len(own & seen) * 20 <= len(own):
                        found.append((*pages[at][:2], passage))
                        seen |= own
        sets = more
    return found


def noisy(texts, language, rate, seed=1):
    """(kind, edited text) of each text; the kinds take turns."""
    kinds = [*KINDS[language], "mixed"]
    kinds = (kinds * (len(texts) // len(kinds) + 1))[:len(texts)]
    random.Random(f"{seed} {language}").shuffle(kinds)
    for number, ((_, page, text), kind) in enumerate(zip(texts, kinds)):
        yield kind, edit(text, kind, rate, random.Random(f"{seed} {language} {rate} {page} {number}"), language)


def write(folder, texts, edited):
    """pages.jsonl, gold.tsv, set.json as the labelled sets have them, and kinds.tsv. The first texts are those that were edited; all others are distractors."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    line = lambda id, text: json.dumps({"id": id, "text": text}, ensure_ascii=False) + "\n"
    with open(folder / "pages.jsonl", "w") as pages, open(folder / "gold.tsv", "w") as gold, open(folder / "kinds.tsv", "w") as kinds:
        for number, (_, _, text) in enumerate(texts):
            pages.write(line(f"t{number:05}", text))
        for number, (kind, text) in enumerate(edited):
            pages.write(line(f"t{number:05}~", text))
            gold.write(f"t{number:05}\tt{number:05}~\trelated\n")
            kinds.write(f"t{number:05}~\t{kind}\t{texts[number][0]}\t{texts[number][1]}\n")
    (folder / "set.json").write_text('{"input": "pages.jsonl", "gold": "gold.tsv", "unlisted": "distinct"}\n')
