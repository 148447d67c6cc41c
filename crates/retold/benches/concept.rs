//! Speed of `concept` and `keyworld` on one core: `cargo bench -p retold --bench concept`.
//!
//! `key_concepts` is all that a page costs from its text on: words, lemmas, merging, network, contributions. The last two
//! benches search the same networks, bit-parallel and the obvious way: their ratio is the gain.

#[path = "../src/method/papers/concept/obvious.rs"]
mod obvious;

use divan::Bencher;
use retold::Page;
use retold::method::{
    Concept, ConceptGraph, Method, Settings, Text, concept_distances, find_method, text_of, wordnet,
};
use retold::read::TextOptions;

fn main() {
    divan::main();
}

/// Numbers without pattern, the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    /// A rank as words have it (Zipf): a half of them below the square root of `most`.
    fn rank(&mut self, most: usize) -> usize {
        let share = self.below(1 << 20) as f64 / f64::from(1 << 20);
        (most as f64).powf(share) as usize - 1
    }
}

/// A page of `chars` characters in sentences of 16 words, every third of them a stop-word in English, every fourth in
/// Chinese. Words come as often as in real texts, their order means nothing.
fn page(language: &str, chars: usize) -> Text {
    let mut random = Random(chars as u64);
    let (mut text, mut length) = (String::new(), 0);
    let mut number = 0;
    while length < chars {
        number += 1;
        let word = match language {
            "en" if number % 3 == 0 => "the ".to_owned(),
            "en" => english(random.rank(8000)) + " ",
            _ if number % 4 == 0 => "的".to_owned(),
            _ => chinese(random.rank(2000)),
        };
        length += word.chars().count();
        text.push_str(&word);
        if number % 16 == 0 {
            text.push_str(if language == "en" { ". " } else { "。" });
        }
    }
    text_of(&Page::text("", text), &TextOptions::default()).expect("a page of this size has a text")
}

/// One of WordNet's words for each rank, scattered over the alphabet.
fn english(rank: usize) -> String {
    let mut number = (rank as u32).wrapping_mul(7919) % 147_306;
    loop {
        let lemma = wordnet().lemma(number).expect("all numbers are lemmas");
        if lemma.bytes().all(|b| b.is_ascii_lowercase()) {
            return lemma;
        }
        number = (number + 1) % 147_306;
    }
}

/// Chinese words of ours for the first ranks, then single characters.
fn chinese(rank: usize) -> String {
    const WORDS: &str = "渡船 小镇 老人 旧书 研究 算法 结果 学校 图书馆 学生 铁路 车站 码头 工人 茶馆 市场 价格 公司 产品 春天 \
        太阳 木板 纸条 时间 明天 下雨 船夫 缆绳 居民 照片 老板 招牌 周末 开放 大桥 城市 政府 会议 经济 发展 \
        技术 网络 系统 安全 信息 服务 管理 企业 项目 工程 医院 医生 病人 药物 健康 食品 农民 土地 粮食 水果";
    let word = WORDS.split_whitespace().nth(rank);
    word.map_or_else(
        || {
            char::from_u32(0x4E00 + (rank as u32).wrapping_mul(37) % 20_000)
                .into_iter()
                .collect()
        },
        str::to_owned,
    )
}

fn concept(name: &str) -> Concept {
    let info = find_method(name).expect("the method is in the table");
    Concept::named(
        name,
        &info
            .resolve(&Settings::new())
            .expect("the defaults are valid"),
    )
    .expect("it is one of the two")
}

/// The middle of each class of the paper's Table 1, and the upper ends.
const PAGES: [(&str, usize); 10] = [
    ("en", 300),
    ("en", 1250),
    ("en", 2000),
    ("en", 5000),
    ("en", 20_000),
    ("zh", 300),
    ("zh", 1250),
    ("zh", 2000),
    ("zh", 5000),
    ("zh", 20_000),
];

#[divan::bench(args = PAGES)]
fn key_concepts(bencher: Bencher<'_, '_>, (language, chars): (&str, usize)) {
    key_concepts_of(bencher, "concept", language, chars);
}

#[divan::bench(args = PAGES)]
fn key_words_of_keyworld(bencher: Bencher<'_, '_>, (language, chars): (&str, usize)) {
    key_concepts_of(bencher, "keyworld", language, chars);
}

fn key_concepts_of(bencher: Bencher<'_, '_>, method: &str, language: &str, chars: usize) {
    let (method, text) = (concept(method), page(language, chars));
    // A text keeps its words; a clone of one that has not been asked for them has none.
    bencher
        .with_inputs(|| text.clone())
        .bench_values(|text| method.sketch(&text).keys.len());
}

/// The network of an English page with about so many nodes, as neighbours of each node, and the 30 nodes of highest
/// degree.
fn network(nodes: usize) -> (Vec<Vec<usize>>, Vec<usize>) {
    let mut chars = 1000;
    let network = loop {
        let network = concept("keyworld").network(&page("en", chars));
        if network.nodes.len() >= nodes {
            break network;
        }
        chars += chars / 4;
    };
    let mut near = vec![Vec::new(); network.nodes.len()];
    for &(a, b) in &network.edges {
        near[a as usize].push(b as usize);
        near[b as usize].push(a as usize);
    }
    let mut hubs: Vec<usize> = (0..near.len()).collect();
    hubs.sort_by_key(|&node| std::cmp::Reverse(near[node].len()));
    hubs.truncate(30);
    (near, hubs)
}

#[divan::bench(args = [500, 1000, 2500])]
fn contributions_bit_parallel(bencher: Bencher<'_, '_>, nodes: usize) {
    let (near, hubs) = network(nodes);
    let edges = near
        .iter()
        .enumerate()
        .flat_map(|(from, to)| to.iter().map(move |&to| (from as u32, to as u32)));
    let graph = ConceptGraph::new(near.len(), edges);
    let hubs: Vec<u32> = hubs.into_iter().map(|hub| hub as u32).collect();
    bencher.bench(|| concept_distances(&graph, &hubs));
}

#[divan::bench(args = [500, 1000], sample_count = 5)]
fn contributions_obvious(bencher: Bencher<'_, '_>, nodes: usize) {
    let (near, hubs) = network(nodes);
    bencher.bench(|| obvious::distances(&near, &hubs));
}
