//! Words of a text, for search indexes: what is indexed and what is asked for goes through the same [`Analyzer`].
//!
//! What it is: three analyzers made of maintained libraries (Chinese segmentation, Unicode word boundaries, an English
//! stemmer), behind one function. What it is not: it ranks nothing, removes no stop words and does no I/O.
//!
//! Invariants: the tokens of a text depend on nothing but the text and the analyzer; they are in lower case, distinct
//! and sorted; a text without a letter or a digit has none.
//!
//! A new version of a library may split words differently, and search indexes must then be rebuilt. The versions of
//! this crate's dependencies are therefore part of the storage format.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use jieba_rs::Jieba;
use rust_stemmers::{Algorithm, Stemmer};
use unicode_segmentation::UnicodeSegmentation;

/// How a text is cut into tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Analyzer {
    /// Chinese words by dictionary, long ones also as the shorter ones in them (HugeGraph's default, jieba in mode
    /// INDEX); other scripts at blanks and punctuation.
    #[default]
    Jieba,
    /// Words by the boundaries of the Unicode standard, reduced to their English stems.
    English,
    /// Words by the boundaries of the Unicode standard.
    Simple,
}

/// A dictionary of 350,000 words: some 50 MB once the first text needs it.
static JIEBA: LazyLock<Jieba> = LazyLock::new(Jieba::new);

impl Analyzer {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Jieba, Self::English, Self::Simple];

    /// The name in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Jieba => "jieba",
            Self::English => "english",
            Self::Simple => "simple",
        }
    }

    /// The analyzer of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|analyzer| analyzer.name() == name)
    }

    /// Loads what the first text needs, which takes a good part of a second: for a thread that may wait.
    pub fn prepare(self) {
        if self == Self::Jieba {
            LazyLock::force(&JIEBA);
        }
    }

    /// The tokens of a text, each once, sorted.
    #[must_use]
    pub fn tokens(self, text: &str) -> BTreeSet<String> {
        let mut tokens = BTreeSet::new();
        self.add_tokens(text, &mut tokens);
        tokens
    }

    /// Adds the tokens of a text to others.
    pub fn add_tokens(self, text: &str, tokens: &mut BTreeSet<String>) {
        match self {
            Self::Jieba => {
                let text = text.to_lowercase();
                let words = JIEBA.cut_for_search(&text, true).into_iter().map(|token| token.word);
                tokens.extend(words.filter(|word| word.contains(char::is_alphanumeric)).map(str::to_owned));
            }
            Self::English => {
                let stemmer = Stemmer::create(Algorithm::English);
                let words = text.unicode_words().map(str::to_lowercase);
                tokens.extend(words.map(|word| stemmer.stem(&word).into_owned()));
            }
            Self::Simple => tokens.extend(text.unicode_words().map(str::to_lowercase)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tokens(analyzer: Analyzer, text: &str) -> Vec<String> {
        analyzer.tokens(text).into_iter().collect()
    }

    #[test]
    fn names_lead_back() {
        for analyzer in Analyzer::ALL {
            assert_eq!(Analyzer::from_name(analyzer.name()), Some(analyzer));
        }
        assert_eq!(Analyzer::from_name("ansj"), None);
    }

    #[test]
    fn english_words_are_stemmed() {
        assert_eq!(tokens(Analyzer::English, "The running runners RUN, quickly!"), ["quick", "run", "runner", "the"]);
        assert_eq!(tokens(Analyzer::Simple, "The running\trunners"), ["runners", "running", "the"]);
    }

    #[test]
    fn chinese_words_are_found_with_the_shorter_ones_in_them() {
        let text = "\u{6211}\u{6765}\u{5230}\u{5317}\u{4eac}\u{6e05}\u{534e}\u{5927}\u{5b66}";
        let words = tokens(Analyzer::Jieba, text);
        for word in ["\u{5317}\u{4eac}", "\u{6e05}\u{534e}\u{5927}\u{5b66}", "\u{6e05}\u{534e}", "\u{5927}\u{5b66}"] {
            assert!(words.contains(&word.to_owned()), "{word} in {words:?}");
        }
        assert_eq!(tokens(Analyzer::Jieba, "Beijing Shanghai, 2020"), ["2020", "beijing", "shanghai"]);
    }

    #[test]
    fn what_is_no_word_has_no_tokens() {
        for analyzer in Analyzer::ALL {
            assert!(analyzer.tokens("").is_empty() && analyzer.tokens(" \t!?\u{3002}--").is_empty(), "{analyzer:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_cut_and_is_cut_the_same_way_again(text in "\\PC{0,40}|[a-z\u{4e00}-\u{4e20} ]{0,40}") {
            for analyzer in Analyzer::ALL {
                let tokens = analyzer.tokens(&text);
                prop_assert_eq!(&analyzer.tokens(&text), &tokens);
                prop_assert!(tokens.iter().all(|token| !token.is_empty()));
            }
        }
    }
}
