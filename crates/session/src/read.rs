use scenario::{Link, LinkError, Problem, Scenario};

/// Why a text cannot be run as a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// In one sentence.
    pub message: String,
    /// All that is wrong with the scenario; empty where it was not even reached.
    pub problems: Vec<Problem>,
}

/// The scenario of a text: the name of a preset, JSON, or a link.
pub fn read_scenario(text: &str) -> Result<Scenario, Refusal> {
    let text = text.trim();
    if let Some(scenario) = Scenario::from_preset(text) {
        return Ok(scenario);
    }
    if text.starts_with('{') {
        return Scenario::from_json(text).map_err(Refusal::from);
    }
    match Link::decode(text) {
        Ok(link) => Ok(link.scenario),
        Err(LinkError::Invalid { problems }) => Err(Refusal::from(problems)),
        Err(error) => Err(Refusal { message: error.to_string(), problems: Vec::new() }),
    }
}

impl From<Vec<Problem>> for Refusal {
    fn from(problems: Vec<Problem>) -> Refusal {
        Refusal { message: "This scenario cannot be run.".to_owned(), problems }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_is_read_from_a_name_from_json_and_from_a_link() {
        let mut scenario = read_scenario(" hikey-schbench\n").unwrap();
        scenario.set("workload.threads", "3").unwrap();
        assert_eq!(read_scenario(&scenario.to_json()), Ok(scenario.clone()));
        assert_eq!(read_scenario(&Link::new(scenario.clone()).encode()), Ok(scenario));
    }

    #[test]
    fn a_cut_link_is_refused_as_cut() {
        let link = Link::new(read_scenario("hikey-schbench").unwrap()).encode();
        let refusal = read_scenario(&link[..link.len() - 6]).unwrap_err();
        assert!(refusal.message.contains("cut"), "{}", refusal.message);
        assert_eq!(refusal.problems, []);
    }
}
