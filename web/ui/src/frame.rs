//! What stands around the panels: header, footer, notices and dialogs.

use yew::prelude::*;

use crate::controls::{CopyButton, Dialog, Icon, Segment, Segments, icon};
use crate::state::Notice;
use crate::{browser, text};

/// Where the choice of colours is kept.
const THEME_KEY: &str = "runqueue-theme";

/// The colours of the page.
#[derive(Clone, PartialEq)]
pub(crate) struct Theme {
    /// What the user has chosen: auto, light or dark.
    pub(crate) choice: AttrValue,
    /// What follows from it now: light or dark.
    pub(crate) resolved: AttrValue,
    /// Chooses.
    pub(crate) choose: Callback<AttrValue>,
}

/// The theme, kept on this machine and in step with the browser's.
#[hook]
pub(crate) fn use_theme() -> Theme {
    let choice =
        use_state_eq(|| AttrValue::from(browser::stored(THEME_KEY).unwrap_or_else(|| "auto".to_owned())));
    let is_dark = use_state_eq(browser::prefers_dark);
    use_effect_with((*choice).clone(), |choice| {
        let forced = Some(choice.as_str()).filter(|choice| *choice != "auto");
        browser::set_root_attribute("data-theme", forced);
    });
    {
        let is_dark = is_dark.clone();
        use_effect_with((), move |()| {
            let listener = browser::listen_to_scheme(move |now| is_dark.set(now));
            move || drop(listener)
        });
    }
    let choose = {
        let choice = choice.clone();
        Callback::from(move |value: AttrValue| {
            browser::store(THEME_KEY, &value);
            choice.set(value);
        })
    };
    let resolved = match choice.as_str() {
        "light" | "dark" => (*choice).clone(),
        _ => if *is_dark { "dark" } else { "light" }.into(),
    };
    Theme { choice: (*choice).clone(), resolved, choose }
}

/// Properties of [`Header`].
#[derive(Properties, PartialEq)]
pub(crate) struct HeaderProps {
    /// The theme that is chosen.
    pub(crate) theme: AttrValue,
    /// Called with another theme.
    pub(crate) ontheme: Callback<AttrValue>,
    /// Called when somebody wants to share.
    pub(crate) onshare: Callback<()>,
    /// Called when somebody wants help.
    pub(crate) onhelp: Callback<()>,
}

/// The head of the page.
#[component]
pub(crate) fn Header(props: &HeaderProps) -> Html {
    let segments: Vec<Segment> = text::THEMES
        .into_iter()
        .map(|(value, label)| Segment { value: value.into(), label: label.into(), is_possible: true })
        .collect();
    let click = |what: &Callback<()>| {
        let what = what.clone();
        Callback::from(move |_: MouseEvent| what.emit(()))
    };
    html! {
        <div class="top" role="banner">
            <span class="brand">{ mark() }{ text::NAME }</span>
            <span class="tagline">{ text::TAGLINE }</span>
            <div class="tools">
                <Segments name="theme" label={text::THEME} {segments} chosen={props.theme.clone()} is_small=true
                    onchoose={props.ontheme.clone()} />
                <button type="button" aria-label={text::HELP} title={text::HELP} onclick={click(&props.onhelp)}
                    data-testid="help-open">{ "?" }</button>
                <button type="button" class="primary" onclick={click(&props.onshare)} data-testid="share-open">
                    { icon(Icon::Link) }{ text::SHARE }
                </button>
            </div>
        </div>
    }
}

fn mark() -> Html {
    html! {
        <svg width="26" height="26" viewBox="0 0 26 26" aria-hidden="true">
            <rect class="mark-a" x="1" y="3" width="14" height="5.5" rx="1.5" />
            <rect class="mark-b" x="16.5" y="3" width="8.5" height="5.5" rx="1.5" />
            <rect class="mark-c" x="1" y="10.2" width="8" height="5.5" rx="1.5" />
            <rect class="mark-c" x="10.5" y="10.2" width="14.5" height="5.5" rx="1.5" />
            <rect class="mark-d" x="1" y="17.5" width="19" height="5.5" rx="1.5" />
        </svg>
    }
}

/// Properties of [`Footer`].
#[derive(Properties, PartialEq)]
pub(crate) struct FooterProps {
    /// The version of the engine.
    pub(crate) version: AttrValue,
}

/// The foot of the page.
#[component]
pub(crate) fn Footer(props: &FooterProps) -> Html {
    html! {
        <footer class="foot">
            { for text::FOOT.map(|(title, words)| html! { <section><h2>{ title }</h2><p>{ words }</p></section> }) }
            if !props.version.is_empty() {
                <p class="mono" data-testid="engine-version">{ text::engine_version(&props.version) }</p>
            }
        </footer>
    }
}

/// Properties of [`NoticeBar`].
#[derive(Properties, PartialEq)]
pub(crate) struct NoticeProps {
    /// What to tell.
    pub(crate) notice: Notice,
    /// Called when it has been read.
    pub(crate) onclose: Callback<MouseEvent>,
}

/// Something to tell the user.
#[component]
pub(crate) fn NoticeBar(props: &NoticeProps) -> Html {
    let Notice { title, body, points, is_bad } = &props.notice;
    html! {
        <div class={classes!("notice", is_bad.then_some("bad"))} role="alert" data-testid="notice">
            <div>
                <strong>{ title.clone() }{ ". " }</strong>
                <span>{ body.clone() }</span>
                if !points.is_empty() {
                    <ul>{ for points.iter().map(|point| html! { <li>{ point.clone() }</li> }) }</ul>
                }
            </div>
            <button type="button" class="small" onclick={props.onclose.clone()}>{ text::DISMISS }</button>
        </div>
    }
}

/// Properties of the dialogs.
#[derive(Properties, PartialEq)]
pub(crate) struct ShareProps {
    /// Whether it is open.
    pub(crate) is_open: bool,
    /// Called when it closes.
    pub(crate) onclose: Callback<()>,
    /// The link.
    pub(crate) address: AttrValue,
}

/// The link to the scenario.
#[component]
pub(crate) fn ShareDialog(props: &ShareProps) -> Html {
    html! {
        <Dialog id="share" title={text::SHARE_TITLE} is_open={props.is_open} onclose={props.onclose.clone()}>
            <p>{ text::SHARE_WHAT }</p>
            <div class="share-field">
                <input type="text" readonly=true value={props.address.clone()} aria-label={text::SHARE_FIELD}
                    data-testid="share-link" />
                <CopyButton text={props.address.clone()} what={text::SHARE_FIELD} testid="share-copy" />
            </div>
            <p class="help">{ text::PRIVACY }</p>
        </Dialog>
    }
}

/// Properties of [`HelpDialog`].
#[derive(Properties, PartialEq)]
pub(crate) struct HelpProps {
    /// Whether it is open.
    pub(crate) is_open: bool,
    /// Called when it closes.
    pub(crate) onclose: Callback<()>,
}

/// What the keys do.
#[component]
pub(crate) fn HelpDialog(props: &HelpProps) -> Html {
    html! {
        <Dialog id="help" title={text::HELP} is_open={props.is_open} onclose={props.onclose.clone()}>
            <dl class="shortcuts">
                { for text::SHORTCUTS.iter().map(|(keys, what)| html! {
                    <>
                        <dt>{ for keys.iter().map(|key| html! { <><kbd>{ *key }</kbd>{ " " }</> }) }</dt>
                        <dd>{ *what }</dd>
                    </>
                }) }
            </dl>
        </Dialog>
    }
}
