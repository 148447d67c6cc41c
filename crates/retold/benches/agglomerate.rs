//! Speed of `agglomerate` on one core, split as its paper splits it: `cargo bench -p retold --bench agglomerate`.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use retold::internal::{SketchNo, related_pairs};
use retold::method::{Method, Sketch, Sketches, Text, Trace};
use retold::{JudgeConfig, Model, Page};

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

/// The text of a Chinese page of about 6 kB; `number` decides on the order of its sentences.
fn text(model: &Model, number: usize) -> Text {
    let mut text = String::new();
    let mut at = number;
    while text.len() < 6000 {
        at = at.wrapping_mul(0x5851_f42d).wrapping_add(12345) % 1_000_003;
        text.push_str(SENTENCES[at / 7 % SENTENCES.len()]);
    }
    let page = Page::text("", text);
    model.text(&page).expect("a page of this size has a text")
}

fn agglomerate() -> Model {
    let config = JudgeConfig {
        method: "agglomerate".into(),
        ..JudgeConfig::default()
    };
    Model::new(config).expect("the method is in the table, and its defaults are valid")
}

/// The method alone, which knows of no common keys.
fn method() -> Box<dyn Method> {
    let model = agglomerate();
    (model.method().build)(model.params(), &Default::default())
}

/// Segmentation and keywords, from decoded text.
#[divan::bench]
fn keyword_extraction(bencher: Bencher<'_, '_>) {
    let model = agglomerate();
    let texts: Vec<Text> = (0..50).map(|number| text(&model, number)).collect();
    let method = method();
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
        let kind = number - u64::from(number % 5 == 0 && number > 0);
        let mut keys: Vec<u64> = (0..20).map(|key| mix(20 * kind + key + 1)).collect();
        keys.sort_unstable();
        let mut terms: Vec<u64> = (0..400)
            .map(|term| mix(400 * kind + term) & !0xFFFF | (1 + (number + term) % 5))
            .collect();
        terms.sort_unstable();
        let extra = std::iter::once(1000 + number).chain(terms);
        let sketch = Sketch {
            keys,
            extra: extra.collect(),
            ..Sketch::default()
        };
        let _ = all.add(sketch.as_ref());
    }
    all
}

/// Candidates by the three hashes and their cosines: the linear and the multi-dimensional comparison together.
#[divan::bench]
fn linear_comparison_of_10000_pages(bencher: Bencher<'_, '_>) {
    let (method, sketches) = (method(), sketches());
    let bounds = |keys| method.bounds(keys);
    let judge = |a: SketchNo, b: SketchNo, found: &mut Vec<(SketchNo, SketchNo)>| {
        let [x, y] = [a, b].map(|number| sketches.get(number));
        let verdict = method.compare(x.as_ref(), y.as_ref(), &mut Trace::off());
        found.extend(verdict.map(|_| (a, b)));
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.expect("one thread can be had");
    bencher.bench_local(|| {
        pool.install(|| {
            related_pairs(&sketches, <[u64]>::len, bounds, &(), judge)
                .map(|related| related.made.len())
        })
    });
}

/// The 2,000 cosines of those candidates alone.
#[divan::bench]
fn multi_dimensional_comparison(bencher: Bencher<'_, '_>) {
    let (method, sketches) = (method(), sketches());
    bencher.bench_local(|| {
        (5..10_000u32)
            .step_by(5)
            .filter(|&n| {
                let [a, b] = [n, n - 1].map(|n| sketches.get(SketchNo(n)));
                black_box(method.compare(a.as_ref(), b.as_ref(), &mut Trace::off())).is_some()
            })
            .count()
    });
}
