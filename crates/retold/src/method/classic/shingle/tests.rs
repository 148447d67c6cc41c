use proptest::prelude::*;

use super::minhash::{Bands, MinHash, agreeing, pack};
use super::*;
use crate::method::testing::{judge, params, text};

fn shingle(settings: &[(&str, &str)]) -> Shingle {
    Shingle::new((&params(&INFO, settings)).into())
}

/// The shingles as text of the folded form.
fn shingles(content: &str, settings: &[(&str, &str)]) -> Vec<String> {
    let (method, text) = (shingle(settings), text(content));
    let mut found = Vec::new();
    method.shingles(&text, |_, start, end| {
        found.push(text.folded[start as usize..end as usize].to_owned());
    });
    found
}

#[test]
fn runs_of_tokens() {
    let three = [("width", "3")];
    assert_eq!(
        shingles("One two, three four\nFive", &three),
        ["one two, three", "two, three four", "three four\nfive"]
    );
    assert_eq!(shingles("春天来了", &three), ["春天来", "天来了"]);
    // A text with fewer tokens than a shingle is one shingle.
    assert_eq!(shingles("One two", &three), ["one two"]);
    assert_eq!(shingles("one two three", &three), ["one two three"]);
    assert!(shingles("。", &three).is_empty());
    assert_eq!(
        shingles("a b,c d", &[("width", "2"), ("tokens", "whitespace")]),
        ["a b,c", "b,c d"]
    );
    assert_eq!(
        shingles("a b,c", &[("width", "2"), ("tokens", "chars")]),
        ["a b", "b,", ",c"]
    );
}

/// CCDet's Shingle-P: the set of full-stop features.
#[test]
fn other_features_instead_of_shingles() {
    let method = shingle(&[("features", "stops")]);
    let set = |content: &str| method.fingerprint(&text(content));
    assert_eq!(set("甲乙一二三四五六七八九十。子丑寅。").len(), 2);
    assert_eq!(
        set("甲乙一二三四五六七八九十。"),
        set("丙一二三四五六七八九十。")
    );
    assert!(set("没有句号").is_empty());
}

/// What separates tokens does not matter, but where tokens end does.
#[test]
fn shingles_are_equal_if_their_tokens_are() {
    let method = shingle(&[("width", "2")]);
    let set = |content: &str| method.fingerprint(&text(content));
    assert_eq!(set("one, two\nthree"), set("One two; three!"));
    assert_ne!(set("ab c"), set("a bc"));
}

/// a rose is a rose is a rose: Broder's example; 4-shingles {a rose is a, rose is a rose, is a rose is}.
#[test]
fn broders_rose() {
    let method = shingle(&[("width", "4")]);
    assert_eq!(
        method
            .fingerprint(&text("a rose is a rose is a rose"))
            .len(),
        3
    );
}

#[test]
fn verdicts_by_hand() {
    // |a| = 4, |b| = 10, 4 shared: containment 1, resemblance 0.4, length ratio 0.4.
    let (a, b): (Vec<u64>, Vec<u64>) = ((0..4).collect(), (0..10).collect());
    let verdict = shingle(&[]).verify(&a, &b, &mut Trace::off()).unwrap();
    assert_eq!(verdict.relation, Relation::ContainedBy);
    assert_eq!((verdict.similarity, verdict.length_ratio), (1.0, 0.4));
    assert_eq!(verdict.shared, 4);
    assert_eq!(
        shingle(&[])
            .verify(&b, &a, &mut Trace::off())
            .unwrap()
            .relation,
        Relation::Contains
    );
    let whole = |threshold| shingle(&[("containment", "false"), ("threshold", threshold)]);
    assert_eq!(whole("0.41").verify(&a, &b, &mut Trace::off()), None);
    let verdict = whole("0.4").verify(&a, &b, &mut Trace::off()).unwrap();
    assert_eq!(verdict.relation, Relation::Duplicate);
    assert_eq!(verdict.similarity, 0.4);
    assert_eq!(whole("0.4").verify(&[], &[], &mut Trace::off()), None);
}

/// 128 values, threshold 0.8: (1 − 0.8^5)^25 = 0.00005, (1 − 0.8^6)^21 = 0.0017.
#[test]
fn bands_for_a_threshold() {
    let bands = |threshold, miss| {
        let Bands { bands, rows } = Bands::choose(128, threshold, miss);
        (bands, rows)
    };
    assert_eq!(bands(0.8, 0.001), (25, 5));
    assert_eq!(bands(0.8, 0.002), (21, 6));
    assert_eq!(bands(1.0, 0.001), (1, 128));
    // Unreachable: every value is a band.
    assert_eq!(bands(0.01, 0.001), (128, 1));
}

#[test]
fn packed_values_count_as_they_are() {
    let packed = |values: &[u16]| pack(values).collect::<Vec<_>>();
    let (a, b) = (packed(&[1, 2, 3, 4, 5]), packed(&[1, 9, 3, 9, 5]));
    assert_eq!(a, [0x0004_0003_0002_0001, 5]);
    assert_eq!(agreeing(&a, &b, 5), 3);
}

/// Two sets with `shared` common hashes, and the given numbers in only one.
fn sets(shared: usize, only_a: usize, only_b: usize, seed: u64) -> (Vec<u64>, Vec<u64>) {
    let hash = |i: usize| xxhash_rust::xxh3::xxh3_64_with_seed(&i.to_le_bytes(), seed);
    let common = (0..shared).map(hash);
    let a = common.clone().chain((1 << 20..).take(only_a).map(hash));
    let b = common.chain((1 << 21..).take(only_b).map(hash));
    (a.collect(), b.collect())
}

fn values(minhash: &MinHash, set: &[u64]) -> Vec<u64> {
    let mut bins = minhash.bins();
    set.iter().for_each(|&hash| minhash.add(&mut bins, hash));
    pack(&minhash.values(&bins)).collect()
}

/// The mean error over 200 sets of resemblance J must be within 4 standard errors of 0, √(J(1−J)/k/200), so there is no bias, whether bins
/// have many elements or most are empty.
#[test]
fn estimates_are_within_their_error() {
    let (k, trials) = (128, 200);
    let minhash = MinHash::new(k);
    for (shared, only) in [(800, 100), (500, 500), (20, 5), (3, 1), (10, 90)] {
        let resemblance = ratio(shared, shared + 2 * only);
        let mut sum = 0.0;
        for seed in 0..trials {
            let (a, b) = sets(shared, only, only, seed);
            let agree = agreeing(&values(&minhash, &a), &values(&minhash, &b), k);
            sum += ratio(agree, k);
        }
        // A set of n elements gives at most n independent values.
        let independent = k.min(shared + 2 * only) as f64;
        let error = (resemblance * (1.0 - resemblance) / independent / trials as f64).sqrt();
        let mean = sum / trials as f64;
        assert!(
            (mean - resemblance).abs() < 4.0 * error,
            "{shared}/{only}: {mean} for {resemblance}, standard error {error}"
        );
    }
}

proptest! {
    /// The index skips pairs that share fewer keys than `bounds` says; these must not be related.
    #[test]
    fn bounds_are_what_compare_needs(shared in 0usize..40, only_a in 0usize..40, only_b in 0usize..40,
                                     threshold in 0.05f64..1.0, exact in any::<bool>()) {
        let verify = if exact { "exact" } else { "off" };
        let method = shingle(&[("threshold", &threshold.to_string()), ("verify", verify)]);
        let (mut a, mut b) = sets(shared, only_a, only_b, 7);
        a.sort_unstable();
        b.sort_unstable();
        let sketch = |keys: Vec<u64>| Sketch { keys, ..Sketch::default() };
        let smaller = a.len().min(b.len());
        let verdict = judge(&method, &sketch(a), &sketch(b));
        let enough = shared >= method.bounds(smaller).overlap;
        prop_assert_eq!(verdict.is_some(), enough && shared > 0);
    }
}
