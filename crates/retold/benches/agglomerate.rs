//! Speed of `agglomerate` on one core, split as its paper splits it: `cargo bench -p retold --bench agglomerate`.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use retold::index::{Judge, Sketches, related_pairs};
use retold::method::{self, Method, Sketch};
use retold::page::{Content, Markup, Page};
use retold::text::{Text, TextOptions, text_of};

fn main() {
    divan::main();
}

const SENTENCES: [&str; 8] = [
    "河边的小镇每到春天就会起雾，渡船要等太阳升高以后才开。",
    "老人把旧书一本一本摆在木板上，价钱写在纸条上，从不还价。",
    "研究小组在2024年比较了三种算法，结果相差不到百分之二。",
    "学校图书馆把闭馆时间延后了一个小时，学生们都很高兴。",
    "“明天还会下雨吗？”她问，没有人回答。",
    "这条铁路全长320公里，沿途一共有十七个车站。",
    "码头工人修好了缆绳，船夫请他们在茶馆里喝茶听书。",
    "市场上的价格连续上涨了三个月，公司决定推迟新产品的发布。",
];

/// A Chinese page of about 6 kB; `number` decides on the order of its sentences.
fn page(number: usize) -> Text {
    let mut text = String::new();
    let mut at = number;
    while text.len() < 6000 {
        at = at.wrapping_mul(0x5851_f42d).wrapping_add(12345) % 1_000_003;
        text.push_str(SENTENCES[at / 7 % SENTENCES.len()]);
    }
    let page = Page {
        id: String::new(),
        url: None,
        site: None,
        date: None,
        content: Content::Unicode {
            text,
            markup: Markup::Plain,
        },
    };
    text_of(&page, &TextOptions::default()).expect("a page of this size has a text")
}

fn agglomerate() -> Box<dyn Method> {
    let info = method::find("agglomerate").expect("the method is in the table");
    (info.build)(&info.resolve(&[]).expect("the defaults are valid"))
}

/// Segmentation and keywords, from decoded text.
#[divan::bench]
fn keyword_extraction(bencher: Bencher<'_, '_>) {
    let method = agglomerate();
    let texts: Vec<Text> = (0..50).map(page).collect();
    let bytes: usize = texts.iter().map(|text| text.folded.len()).sum();
    // A text keeps its words; a clone of one that has not been asked for them has none.
    bencher
        .counter(BytesCount::new(bytes))
        .with_inputs(|| texts.clone())
        .bench_values(|texts| {
            texts
                .iter()
                .map(|text| method.sketch(text).keys.len())
                .sum::<usize>()
        });
}

/// 10,000 sketches with the keys and vectors that pages have, a fifth of them with a partner.
fn sketches() -> Sketches {
    let mix = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (n << 17);
    let mut all = Sketches::default();
    for number in 0..10_000u64 {
        let kind = if number % 5 == 0 { number - 1 } else { number };
        let mut keys: Vec<u64> = (0..20).map(|key| mix(20 * kind + key + 1)).collect();
        keys.sort_unstable();
        let mut terms: Vec<u64> = (0..400)
            .map(|term| mix(400 * kind + term) & !0xFFFF | (1 + (number + term) % 5))
            .collect();
        terms.sort_unstable();
        let evidence = std::iter::once(1000 + number).chain(terms);
        let sketch = Sketch {
            keys,
            marks: Vec::new(),
            evidence: evidence.collect(),
        };
        all.add(sketch.as_ref());
    }
    all
}

/// Candidates by the three hashes and their cosines: the linear and the multi-dimensional comparison together.
#[divan::bench]
fn linear_comparison_of_10000_pages(bencher: Bencher<'_, '_>) {
    let (method, sketches) = (agglomerate(), sketches());
    let shortest = vec![1000; sketches.len()];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.expect("one thread can be had");
    bencher.bench_local(|| {
        pool.install(|| {
            let judge = Judge::new(&*method, &sketches, &shortest, &Default::default());
            related_pairs(&judge, &(), |a, b, _, found| found.push((a, b)))
                .map(|related| related.made.len())
        })
    });
}

/// The 2,000 cosines of those candidates alone.
#[divan::bench]
fn multi_dimensional_comparison(bencher: Bencher<'_, '_>) {
    let (method, sketches) = (agglomerate(), sketches());
    bencher.bench_local(|| {
        (5..10_000u32)
            .step_by(5)
            .filter(|&n| {
                let (a, b) = (sketches.get(n), sketches.get(n - 1));
                black_box(method.compare(a, b)).is_some()
            })
            .count()
    });
}
