//! What the program printed, byte for byte, and how to get the same on the command line.

use yew::prelude::*;

use super::{Panel, PanelState};
use crate::columns::Results;
use crate::controls::CopyButton;
use crate::text;

/// Properties of [`OutputPanel`].
#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    /// The runs.
    pub(crate) results: PanelState<Results>,
    /// The command that does the same natively.
    pub(crate) command: AttrValue,
}

/// See the module.
#[component]
pub(crate) fn OutputPanel(props: &Props) -> Html {
    let state = props.results.and_then(|results| {
        let prints = results.columns.iter().any(|column| !column.summary.text.is_empty());
        if prints { Ok(results.clone()) } else { Err(text::NO_TEXT.into()) }
    });
    html! {
        <Panel id="output" title={text::OUTPUT} state={state.name()}>
            <div class="fades">{ state.body(texts) }</div>
            <h3 class="command-title">{ text::COMMAND }</h3>
            <div class="command">
                <code tabindex="0" data-testid="command">{ props.command.clone() }</code>
                <CopyButton text={props.command.clone()} what={text::COMMAND} />
            </div>
        </Panel>
    }
}

fn texts(results: &Results) -> Html {
    html! {
        <div class="outputs">
            { for results.columns.iter().map(|column| html! {
                <div>
                    <div class="output-head">
                        <h3 class={classes!("toned", column.tone.class())}>{ column.name.clone() }</h3>
                        <CopyButton text={column.summary.text.clone()} what={column.name.clone()} />
                    </div>
                    <pre class="output" tabindex="0" data-testid={format!("text-{}", column.name)}>{ column.summary.text.clone() }</pre>
                </div>
            }) }
        </div>
    }
}
