// words.rs - how often each argument is there; names of Rust.
use std::collections::BTreeMap;

trait Count {
    fn add(&mut self, word: String);
}

impl Count for BTreeMap<String, u32> {
    fn add(&mut self, word: String) {
        *self.entry(word).or_insert(0) += 1;
    }
}

fn main() {
    let mut counts = BTreeMap::new();
    std::env::args().for_each(|word| counts.add(word));
    println!("{:?}", counts);
}
