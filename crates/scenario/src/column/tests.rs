use super::*;
use crate::Scenario;

#[test]
fn a_specification_is_read_and_written() {
    let column = Column::parse("mine:patches.llc-spread=on,kernel.hz=1000").unwrap();
    assert_eq!(column.name, "mine");
    assert_eq!(column.get("patches.llc-spread"), Some("merged"));
    assert_eq!(column.to_spec(), "mine:kernel.hz=1000,patches.llc-spread=merged");
    assert_eq!(Column::parse(&column.to_spec()), Ok(column));
    assert_eq!(Column::parse("plain").unwrap().to_spec(), "plain");
    assert_eq!(Column::parse("plain:").unwrap(), Column::named("plain"));
}

#[test]
fn a_list_may_be_a_value_of_a_specification() {
    let column = Column::parse("mixed:workload.nice=2x0,-5,3x10,kernel.hz=250,workload.kind=hogs").unwrap();
    assert_eq!(column.get("workload.nice"), Some("2x0,-5,3x10"));
    let keys: Vec<&str> = column.settings().map(|(key, _)| key).collect();
    assert_eq!(
        keys,
        ["kernel.hz", "workload.kind", "workload.nice"],
        "the kind is applied before its values"
    );
    assert_eq!(Column::parse(&column.to_spec()), Ok(column));
}

#[test]
fn a_specification_names_all_its_mistakes() {
    let problems = Column::parse("Bad Name:kernel.hz=3,nonsense=1,seed=4").unwrap_err();
    let paths: Vec<&str> = problems.iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(
        paths,
        ["columns", "columns.Bad Name.kernel.hz", "columns.Bad Name.nonsense", "columns.Bad Name.seed"]
    );
    assert!(Column::parse("a:piece").unwrap_err()[0].remedy.contains("KEY=VALUE"));
    assert!(Column::parse("").is_err() && Column::parse(":").is_err() && Column::parse(",=").is_err());
}

#[test]
fn a_setting_replaces_an_earlier_one_and_can_be_taken_back() {
    let mut column = Column::named("a");
    column.set("kernel.hz", "100").unwrap();
    column.set("kernel.hz", "300").unwrap();
    assert_eq!(column.to_spec(), "a:kernel.hz=300");
    column.unset("kernel.hz");
    assert_eq!(column, Column::named("a"));
}

#[test]
fn replacing_columns_is_all_or_nothing() {
    let mut scenario = Scenario::default();
    let before = scenario.clone();
    let problems =
        scenario.replace_columns(["one:kernel.hz=100", "two:kernel.hz=7", "three:x=1"]).unwrap_err();
    assert_eq!(problems.len(), 2);
    assert_eq!(scenario, before);
    scenario.replace_columns(["one:kernel.hz=100", "two"]).unwrap();
    assert_eq!(scenario.get("columns.one.kernel.hz").unwrap(), "100");
    assert_eq!(scenario.get("columns.two.kernel.hz").unwrap(), "250");
}
