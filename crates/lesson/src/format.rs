//! What a lesson is made of, and how it is read from its file.

use protocol::{BalanceReason, DecisionKind};
use scenario::Scenario;

use crate::VERSION;
use crate::json::{Members, Node, Read, Wrong, value_of};
use crate::words::Words;

/// A lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// Its name in addresses and its file's: `llc-spread`.
    pub id: String,
    /// What people call it.
    pub title: String,
    /// What it is about, in a sentence or two.
    pub summary: String,
    /// About how long it takes, in minutes.
    pub minutes: u64,
    /// The words that it explains, and what they mean.
    pub terms: Vec<(String, String)>,
    /// Its screens, in their order; never none.
    pub screens: Vec<Screen>,
}

/// One screen of a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Its heading.
    pub title: String,
    /// What is simulated: its own scenario or the lesson's.
    pub scenario: Scenario,
    /// What it shows, in order.
    pub blocks: Vec<Block>,
}

/// A part of a screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// A paragraph.
    Text(Words),
    /// Something beside the story, set apart.
    Note(Words),
    /// Figures of columns with their bands, side by side.
    Figures(Vec<Figure>),
    /// A panel of the page.
    Chart(Chart),
    /// A key of the scenario that the reader sets by a button.
    Try(Try),
    /// A decision that the reader predicts.
    Predict(Box<Predict>),
}

/// A figure of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// What it is, in plain words.
    pub label: String,
    /// The name of the column.
    pub column: String,
    /// Its key: `p99_us`.
    pub metric: String,
}

/// A panel of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chart {
    /// The timeline; it shows the longest wait until somebody moves it.
    Timeline,
    /// The percentiles of every column.
    Percentiles,
    /// How often which latency occurs.
    Distribution,
    /// Where the time of an application's launch goes.
    Launch,
}

/// A key that the reader sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Try {
    /// What is chosen, in plain words.
    pub label: String,
    /// The key, as in a scenario: `patches.llc-spread` or `columns.base.kernel.hz`.
    pub key: String,
    /// The values to choose from.
    pub choices: Vec<Choice>,
}

/// A value of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The value as text.
    pub value: String,
    /// What it is, in plain words.
    pub label: String,
}

/// A decision that the reader predicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predict {
    /// The name of the column in which it is made.
    pub column: String,
    /// How it is found in the run of whatever seed.
    pub find: Find,
    /// How much of the run is shown before the decision and after it, in microseconds.
    pub window_us: (u64, u64),
    /// What is asked.
    pub question: Words,
    /// What is said once the decision is shown.
    pub because: Words,
}

/// How a decision is found in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Find {
    /// The wake-up that put a task where it then waited: of the longest wait that has such a cause.
    LongestWait,
    /// By going through decisions from the start of the run.
    Walk(Walk),
}

/// Which decision is meant, going through them from the start of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// What kind of decision: a placement or a balance.
    pub kind: DecisionKind,
    /// Which of those that fit, from 1.
    pub nth: u64,
    /// What the name of its task begins with; empty for any.
    pub task: String,
    /// Whether its task must be a real-time one.
    pub is_real_time: bool,
    /// For a balance: why.
    pub reason: Option<BalanceReason>,
    /// For a balance: what the names of two tasks begin with that share another CPU of the domain, where that must be.
    pub beside: Option<String>,
    /// For a placement: what the name of a task begins with that runs where the woken one ran last while another CPU
    /// idles, where that must be.
    pub previous_runs: Option<String>,
}

/// A line of the list of lessons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// [`Lesson::id`].
    pub id: String,
    /// [`Lesson::title`].
    pub title: String,
    /// [`Lesson::summary`].
    pub summary: String,
    /// [`Lesson::minutes`].
    pub minutes: u64,
}

/// The list of lessons.
pub type Index = Vec<Entry>;

/// Reads the list of lessons.
pub fn parse_index(text: &str) -> Result<Index, Wrong> {
    let value = value_of(text)?;
    let members = Node::root(&value).object(&["version", "lessons"])?;
    check_version(&members)?;
    members.get("lessons")?.list()?.iter().map(entry).collect()
}

fn entry(node: &Node<'_>) -> Read<Entry> {
    let members = node.object(&["id", "title", "summary", "minutes"])?;
    Ok(Entry {
        id: id(&members.get("id")?)?,
        title: members.get("title")?.text()?.to_owned(),
        summary: members.get("summary")?.text()?.to_owned(),
        minutes: members.get("minutes")?.number()?,
    })
}

impl Lesson {
    /// Reads a lesson's file. Nothing that is not known is passed over.
    pub fn parse(text: &str) -> Result<Lesson, Wrong> {
        let value = value_of(text)?;
        let known = ["version", "id", "title", "summary", "minutes", "terms", "scenario", "screens"];
        let members = Node::root(&value).object(&known)?;
        check_version(&members)?;
        let terms = match members.find("terms") {
            None => Vec::new(),
            Some(node) => node.entries()?.iter().map(term).collect::<Read<_>>()?,
        };
        let common = scenario(&members.get("scenario")?)?;
        let list = members.get("screens")?;
        let screens: Vec<Screen> =
            list.list()?.iter().map(|node| screen(node, &common)).collect::<Read<_>>()?;
        if screens.is_empty() {
            return list.wrong("a lesson has at least one screen");
        }
        Ok(Lesson {
            id: id(&members.get("id")?)?,
            title: members.get("title")?.text()?.to_owned(),
            summary: members.get("summary")?.text()?.to_owned(),
            minutes: members.get("minutes")?.number()?,
            terms,
            screens,
        })
    }

    /// What a word means.
    pub fn meaning(&self, term: &str) -> Option<&str> {
        self.terms.iter().find(|(known, _)| known == term).map(|(_, meaning)| meaning.as_str())
    }

    /// This lesson's line in the list.
    pub fn entry(&self) -> Entry {
        Entry {
            id: self.id.clone(),
            title: self.title.clone(),
            summary: self.summary.clone(),
            minutes: self.minutes,
        }
    }
}

impl Screen {
    /// The decision that is predicted on it, if there is one.
    pub fn predict(&self) -> Option<&Predict> {
        self.blocks.iter().find_map(|block| match block {
            Block::Predict(predict) => Some(&**predict),
            _ => None,
        })
    }
}

fn check_version(members: &Members<'_>) -> Read<()> {
    let node = members.get("version")?;
    match node.number()? {
        VERSION => Ok(()),
        version if VERSION < version => {
            node.wrong("this is newer than the page; reload the page to get a newer one")
        }
        _ => node.wrong("there is no such version"),
    }
}

fn id(node: &Node<'_>) -> Read<String> {
    let text = node.text()?;
    let is_plain =
        text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if is_plain { Ok(text.to_owned()) } else { node.wrong("small letters, digits and - are expected") }
}

fn term((name, node): &(&str, Node<'_>)) -> Read<(String, String)> {
    Ok(((*name).to_owned(), node.text()?.to_owned()))
}

fn scenario(node: &Node<'_>) -> Read<Scenario> {
    Scenario::from_json(&node.value().to_string()).or_else(|problems| {
        let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
        node.wrong(&told.join(" "))
    })
}

fn screen(node: &Node<'_>, common: &Scenario) -> Read<Screen> {
    let members = node.object(&["title", "scenario", "blocks"])?;
    let own = members.find("scenario").map(|node| scenario(&node)).transpose()?;
    Ok(Screen {
        title: members.get("title")?.text()?.to_owned(),
        scenario: own.unwrap_or_else(|| common.clone()),
        blocks: members.get("blocks")?.list()?.iter().map(block).collect::<Read<_>>()?,
    })
}

fn block(node: &Node<'_>) -> Read<Block> {
    let (name, node) = node.only()?;
    Ok(match name {
        "text" => Block::Text(node.words()?),
        "note" => Block::Note(node.words()?),
        "figures" => Block::Figures(node.list()?.iter().map(figure).collect::<Read<_>>()?),
        "chart" => Block::Chart(match node.text()? {
            "timeline" => Chart::Timeline,
            "percentiles" => Chart::Percentiles,
            "distribution" => Chart::Distribution,
            "launch" => Chart::Launch,
            _ => return node.wrong("known are timeline, percentiles, distribution, launch"),
        }),
        "try" => Block::Try(tried(&node)?),
        "predict" => Block::Predict(Box::new(predict(&node)?)),
        _ => return node.wrong("known are text, note, figures, chart, try, predict"),
    })
}

fn figure(node: &Node<'_>) -> Read<Figure> {
    let members = node.object(&["label", "column", "metric"])?;
    Ok(Figure {
        label: members.get("label")?.text()?.to_owned(),
        column: members.get("column")?.text()?.to_owned(),
        metric: members.get("metric")?.text()?.to_owned(),
    })
}

fn tried(node: &Node<'_>) -> Read<Try> {
    let members = node.object(&["label", "key", "choices"])?;
    let choice = |node: &Node<'_>| {
        let members = node.object(&["value", "label"])?;
        Ok(Choice {
            value: members.get("value")?.text()?.to_owned(),
            label: members.get("label")?.text()?.to_owned(),
        })
    };
    Ok(Try {
        label: members.get("label")?.text()?.to_owned(),
        key: members.get("key")?.text()?.to_owned(),
        choices: members.get("choices")?.list()?.iter().map(choice).collect::<Read<_>>()?,
    })
}

fn predict(node: &Node<'_>) -> Read<Predict> {
    let members = node.object(&["column", "find", "window_us", "question", "because"])?;
    let window = members.get("window_us")?;
    let window_us = match &window.list()?[..] {
        [before, after] => (before.number()?, after.number()?),
        _ => return window.wrong("two numbers are expected: before and after"),
    };
    Ok(Predict {
        column: members.get("column")?.text()?.to_owned(),
        find: find(&members.get("find")?)?,
        window_us,
        question: members.get("question")?.words()?,
        because: members.get("because")?.words()?,
    })
}

fn find(node: &Node<'_>) -> Read<Find> {
    let known = ["decision", "of", "nth", "task", "class", "reason", "beside", "previous_runs"];
    let members = node.object(&known)?;
    let decision = members.get("decision")?;
    let kind = match decision.text()? {
        "placement" => DecisionKind::Placement,
        "balance" => DecisionKind::Balance,
        _ => return decision.wrong("known are placement and balance"),
    };
    if let Some(of) = members.find("of") {
        let is_alone = known[2..].iter().all(|name| members.find(name).is_none());
        return match of.text()? {
            "longest_wait" if kind == DecisionKind::Placement && is_alone => Ok(Find::LongestWait),
            _ => of.wrong("known is longest_wait, for a placement and with nothing beside it"),
        };
    }
    let reason = members.find("reason").map(|node| reason(&node)).transpose()?;
    let name = |name: &str| members.find(name).map(|node| node.text().map(str::to_owned)).transpose();
    let nth = members.get("nth")?;
    if nth.number()? == 0 {
        return nth.wrong("the first one is 1");
    }
    Ok(Find::Walk(Walk {
        kind,
        nth: nth.number()?,
        task: members.find("task").map_or(Ok(""), |node| node.text())?.to_owned(),
        is_real_time: members.find("class").map_or(Ok(false), |node| class(&node))?,
        reason,
        beside: name("beside")?,
        previous_runs: name("previous_runs")?,
    }))
}

fn class(node: &Node<'_>) -> Read<bool> {
    match node.text()? {
        "real_time" => Ok(true),
        _ => node.wrong("known is real_time; leave it out for any"),
    }
}

fn reason(node: &Node<'_>) -> Read<BalanceReason> {
    match node.text()? {
        "newly_idle" => Ok(BalanceReason::NewlyIdle),
        "idle" => Ok(BalanceReason::Idle),
        "busy" => Ok(BalanceReason::Busy),
        _ => node.wrong("known are newly_idle, idle, busy"),
    }
}

#[cfg(test)]
mod tests;
