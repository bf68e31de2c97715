use super::*;

fn hikey() -> Scenario {
    Scenario::from_preset("hikey-schbench").unwrap()
}

fn round_trip(link: &Link) -> String {
    let text = link.encode();
    assert_eq!(Link::decode(&text).as_ref(), Ok(link), "{text}");
    text
}

/// A body with the check value that fits it.
fn checked(body: &str) -> String {
    format!("#{body}~{}", check::value(body))
}

#[test]
fn a_preset_with_differences_is_readable() {
    let mut scenario = hikey();
    assert_eq!(round_trip(&Link::new(scenario.clone())), "#1/hikey-schbench~m3HW");
    scenario.set_all([("kernel.capacity", "1000"), ("seed", "7"), ("columns.patched.kernel.hz", "1000")]);
    let text = round_trip(&Link::new(scenario));
    let body = text.split('~').next().unwrap();
    assert_eq!(body, "#1/hikey-schbench?kernel.capacity=1000&seed=7&columns.patched.kernel.hz=1000");
}

#[test]
fn other_columns_are_readable_too() {
    let mut scenario = hikey();
    scenario.replace_columns(["a:kernel.hz=100", "b:workload.kind=hogs,workload.nice=2x0,-5"]).unwrap();
    scenario.title = "50 % more & \"half\" ~ ü=#".to_owned();
    let text = round_trip(&Link::new(scenario));
    let body = text.split('~').next().unwrap();
    assert_eq!(
        body,
        "#1/hikey-schbench?title=50%20%25%20more%20%26%20%22half%22%20%7E%20%C3%BC=%23\
         &column=a:kernel.hz=100&column=b:workload.kind=hogs,workload.nice=2x0,-5"
    );
}

#[test]
fn a_scenario_without_preset_is_packed() {
    let mut scenario = hikey();
    scenario.preset = String::new();
    scenario.set("machine.cores", "3").unwrap();
    let text = round_trip(&Link::new(scenario));
    assert!(text.starts_with("#1.") && text.len() < 100, "{text}");
}

#[test]
fn a_readable_link_that_would_be_too_long_is_packed() {
    let mut scenario = hikey();
    for (position, cost) in crate::costs::COST_FIELDS.iter().enumerate() {
        scenario.set(&format!("costs.{}", cost.name), &(1_000 + position).to_string()).unwrap();
        scenario.set(&format!("columns.base.costs.{}", cost.name), &(2_000 + position).to_string()).unwrap();
    }
    let text = round_trip(&Link::new(scenario));
    assert!(text.starts_with("#1.") && text.len() < COMFORTABLE, "{} {text}", text.len());
}

#[test]
fn the_view_rides_along() {
    let view: BTreeMap<String, String> =
        [("cursor", "5004031"), ("panel", "timeline"), ("hash.base", "00ff&~=%7E")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
    let readable = round_trip(&Link { scenario: hikey(), view: view.clone() });
    assert!(readable.starts_with("#1/hikey-schbench?view.cursor=5004031&"), "{readable}");
    let mut scenario = hikey();
    scenario.preset = String::new();
    assert!(round_trip(&Link { scenario, view }).starts_with("#1."));
}

#[test]
fn an_address_around_the_fragment_does_not_matter() {
    let fragment = Link::new(hikey()).encode();
    for text in [
        fragment.clone(),
        fragment.trim_start_matches('#').to_owned(),
        format!("  https://example.org/runqueue/?embed{fragment}\n"),
        fragment.replace('~', "%7E"),
        fragment.replace('-', "%2D"),
    ] {
        assert_eq!(Link::decode(&text), Ok(Link::new(hikey())), "{text}");
    }
}

#[test]
fn a_link_written_by_hand_ends_with_a_tilde() {
    let mut scenario = hikey();
    scenario.set("seed", "12").unwrap();
    assert_eq!(Link::decode("#1/hikey-schbench?seed=12~"), Ok(Link::new(scenario)));
    assert_eq!(Link::decode("#1/hikey-schbench?seed=12"), Err(LinkError::Cut));
}

#[test]
fn a_cut_link_is_named_as_cut_wherever_it_is_cut() {
    let mut own = hikey();
    own.preset = String::new();
    own.set("seed", "123456").unwrap();
    let mut preset = hikey();
    preset.set_all([("seed", "123456"), ("title", "a ~ b")]);
    for text in [own, preset].map(|scenario| Link::new(scenario).encode()) {
        for length in 2..text.len() {
            let cut = Link::decode(&text[..length]);
            let only_check_is_gone = text[..length].ends_with('~');
            assert!(
                cut == Err(LinkError::Cut) || (only_check_is_gone && cut.is_ok()),
                "{} gave {cut:?}",
                &text[..length]
            );
        }
    }
}

#[test]
fn a_changed_link_is_named_as_changed() {
    let text = Link::new(hikey()).encode();
    assert_eq!(Link::decode(&text.replace("schbench", "schbanch")), Err(LinkError::Damaged));
    assert_eq!(Link::decode(&format!("{text}.")), Err(LinkError::Damaged));
    assert_eq!(Link::decode(&format!("{text}abc")), Err(LinkError::Damaged));
    assert_eq!(Link::decode(&checked("1.AAAA")), Err(LinkError::Damaged));
    assert_eq!(Link::decode(&checked("1.")), Err(LinkError::Damaged));
    assert_eq!(Link::decode(&checked("1./+")), Err(LinkError::Damaged));
    assert_eq!(Link::decode(&checked("1/hikey-schbench?title=%ff")), Err(LinkError::Damaged));
    let no_json = packed::pack(b"{\"seed\":");
    assert_eq!(Link::decode(&checked(&format!("1.{no_json}"))), Err(LinkError::Damaged));
    let bad_view = packed::pack(br#"{"view":{"cursor":[]}}"#);
    assert_eq!(Link::decode(&checked(&format!("1.{bad_view}"))), Err(LinkError::Damaged));
}

#[test]
fn what_is_no_link_is_named_as_such() {
    for text in
        ["", "#", "#x", "https://example.org/", "#0/hikey-schbench~", "#1x", "hikey-schbench", "#-1/x~"]
    {
        assert_eq!(Link::decode(text), Err(LinkError::NotALink), "{text}");
    }
}

#[test]
fn a_newer_version_is_named_whatever_it_holds() {
    for (text, version) in
        [("#2/x", "2"), ("#10.abc~wxyz", "10"), ("#99999999999999999999999999/", "99999999999999999999")]
    {
        assert_eq!(Link::decode(text), Err(LinkError::Newer { version: version.to_owned() }));
    }
}

#[test]
fn an_unknown_preset_names_the_nearest() {
    let error = Link::decode(&checked("1/hikey-schbanch?seed=7")).unwrap_err();
    let LinkError::UnknownPreset { name, nearest } = &error else { panic!("{error}") };
    assert_eq!((name.as_str(), nearest[0]), ("hikey-schbanch", "hikey-schbench"));
    assert!(error.to_string().contains("Did you mean hikey-schbench"), "{error}");
}

#[test]
fn all_problems_of_a_link_come_at_once() {
    let error =
        Link::decode(&checked("1/hikey-schbench?sead=7&kernel.hz=5&column=a:b=c&workload.threads=9999&x"));
    let Err(LinkError::Invalid { problems }) = &error else { panic!("{error:?}") };
    let paths: Vec<&str> = problems.iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(paths, ["kernel.hz", "workload.threads", "sead", "x", "columns.a.b"]);
    assert!(problems[2].remedy.contains("did you mean seed"));
    assert!(error.unwrap_err().to_string().lines().count() == 6);
}

#[test]
fn a_link_to_an_impossible_patch_names_the_eras_that_allow_it() {
    let error = Link::decode(&checked("1/vm32-schbench?kernel.era=v3.3")).unwrap_err();
    let LinkError::Invalid { problems } = &error else { panic!("{error}") };
    let refused = problems.iter().find(|problem| problem.path == "columns.patched.patches.ttwu-pending");
    let said = refused.unwrap().to_string();
    assert!(said.contains("v3.3 cannot have it: a pending wake-up shows as a wake list"), "{said}");
    assert!(said.contains("kernel.era to v5.4, v5.4-rework, v5.10, v6.1, v6.6, v6.12 or v6.18"), "{said}");
}

#[test]
fn a_packed_scenario_that_cannot_be_run_says_why() {
    let body = format!("1.{}", packed::pack(br#"{"kernel":{"era":"v6.6"},"sead":1}"#));
    let Err(LinkError::Invalid { problems }) = Link::decode(&checked(&body)) else { panic!("it is wrong") };
    let paths: Vec<&str> = problems.iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(paths, ["sead", "kernel.era"]);
    assert!(Link::decode(&checked(&format!("1.{}", packed::pack(b"[]")))).is_err());
}

#[test]
fn a_link_that_unpacks_to_too_much_is_not_opened() {
    let bomb = packed::pack(&vec![b' '; (1 << 20) + 1]);
    assert!(bomb.len() < 2_000, "it looks harmless");
    assert_eq!(Link::decode(&checked(&format!("1.{bomb}"))), Err(LinkError::TooLarge));
    assert_eq!(Link::decode(&"x".repeat(MAX_LINK + 1)), Err(LinkError::TooLarge));
    let fits = packed::unpack(&packed::pack(&vec![b' '; 1 << 20])).unwrap();
    assert_eq!(fits.len(), 1 << 20);
}

#[test]
fn packing_holds_any_bytes() {
    let mut stream = sim::Stream::new(3, 1, 4);
    for length in (0..200).chain([5_000, 70_000]) {
        let bytes: Vec<u8> = (0..length).map(|_| stream.next_u32() as u8).collect();
        assert_eq!(packed::unpack(&packed::pack(&bytes)), Ok(bytes));
    }
    let many = packed::DICTIONARY.repeat(40);
    assert_eq!(packed::unpack(&packed::pack(&many)), Ok(many));
}

#[test]
fn the_dictionary_and_the_check_value_are_frozen() {
    // Every packed link of version 1 refers to these bytes. A better dictionary needs a new version of the grammar.
    assert_eq!(packed::DICTIONARY.len(), 2_664);
    assert_eq!(check::value(&String::from_utf8_lossy(packed::DICTIONARY)), "NotL");
    assert_eq!(check::value(""), "HJ1E");
}

#[test]
fn base64url_is_that_of_the_standard() {
    for (bytes, text) in [
        ("", ""),
        ("f", "Zg"),
        ("fo", "Zm8"),
        ("foo", "Zm9v"),
        ("foob", "Zm9vYg"),
        ("\u{3ff}\u{3ff}", "z7_Pvw"),
    ] {
        assert_eq!(packed::to_base64url(bytes.as_bytes()), text);
        assert_eq!(packed::from_base64url(text).unwrap(), bytes.as_bytes());
    }
    for wrong in ["A", "AAAAA", "A+", "Zg=="] {
        assert_eq!(packed::from_base64url(wrong), None);
    }
}
