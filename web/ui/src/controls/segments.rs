//! A choice of a few, all of which are seen.

use web_sys::HtmlInputElement;
use yew::prelude::*;

/// One of the choices.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Segment {
    /// The value.
    pub(crate) value: AttrValue,
    /// What is shown.
    pub(crate) label: AttrValue,
    /// Whether it can be chosen.
    pub(crate) is_possible: bool,
}

/// Properties of [`Segments`].
#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// The name of the group, unique in the page.
    pub(crate) name: AttrValue,
    /// What is chosen here.
    pub(crate) label: AttrValue,
    /// The choices.
    pub(crate) segments: Vec<Segment>,
    /// The value that is chosen.
    pub(crate) chosen: AttrValue,
    /// Whether it is to be drawn small.
    #[prop_or_default]
    pub(crate) is_small: bool,
    /// Called with the value that is chosen.
    pub(crate) onchoose: Callback<AttrValue>,
}

/// See the module.
#[component]
pub(crate) fn Segments(props: &Props) -> Html {
    let segment = |segment: &Segment| {
        let is_chosen = segment.value == props.chosen;
        let onchange = {
            let (onchoose, value) = (props.onchoose.clone(), segment.value.clone());
            Callback::from(move |event: Event| {
                if event.target_dyn_into::<HtmlInputElement>().is_some_and(|input| input.checked()) {
                    onchoose.emit(value.clone());
                }
            })
        };
        let class = classes!(is_chosen.then_some("chosen"), (!segment.is_possible).then_some("impossible"));
        html! {
            <label {class} key={segment.value.to_string()}>
                <input type="radio" name={props.name.clone()} value={segment.value.clone()} checked={is_chosen}
                    disabled={!segment.is_possible} data-testid={format!("{}-{}", props.name, segment.value)}
                    {onchange} />
                { segment.label.clone() }
            </label>
        }
    };
    html! {
        <div class={classes!("segments", props.is_small.then_some("small"))} role="radiogroup"
            aria-label={props.label.clone()}>
            { for props.segments.iter().map(segment) }
        </div>
    }
}
