//! The fields of benchmark items, by their roles.

use serde_json::Value;

/// The fields of an item by role, each a comma-separated list of names; `a.b` is the field `b` in the field `a`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchmarkFields {
    /// The first of these that an item has is its question.
    pub question: String,
    /// All of these are answers or choices.
    pub answer: String,
    /// All of these are texts to which the question refers.
    pub passage: String,
    /// The item's id; without one, the record's number is used.
    pub id: String,
}

impl Default for BenchmarkFields {
    fn default() -> BenchmarkFields {
        BenchmarkFields {
            question: "question,problem,prompt,goal,query,instruction,sentence,ctx,premise,question_stem,input,text,Question,Problem"
                .into(),
            answer: "answer,answers,solution,completion,canonical_solution,output,target,best_answer,code,choices,options,endings,\
                     choice1,choice2,sol1,sol2,option1,option2,A,B,C,D,Answer,Solution"
                .into(),
            passage: "context,passage,article,story,support,paragraph,hypothesis".into(),
            id: "id".into(),
        }
    }
}

pub(super) fn names(list: &str) -> impl Iterator<Item = &str> {
    list.split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
}

/// The value of a field, by name or path.
pub(super) fn value<'v>(record: &'v Value, name: &str) -> Option<&'v Value> {
    let by_path = || {
        let mut names = name.split('.');
        names.try_fold(record, |value, name| value.get(name))
    };
    record.get(name).or_else(by_path)
}

pub(super) fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Null | Value::Bool(_) => Vec::new(),
        Value::Number(number) => vec![number.to_string()],
        Value::String(text) => vec![text.clone()],
        Value::Array(list) => list.iter().flat_map(texts).collect(),
        Value::Object(object) => object.values().flat_map(texts).collect(),
    }
}
