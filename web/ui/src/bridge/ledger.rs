//! Which requests of one worker are open, and who waits for their answers.

use protocol::{Answer, AnswerBody, Failure, Request, RequestBody};

/// The open requests of one worker. `W` is who waits for the answers.
#[derive(Debug)]
pub(crate) struct Ledger<W> {
    next_id: u32,
    is_ready: bool,
    unsent: Vec<Request>,
    open: Vec<(u32, W)>,
}

impl<W> Default for Ledger<W> {
    fn default() -> Ledger<W> {
        // 0 stands for no request in the protocol.
        Ledger { next_id: 1, is_ready: false, unsent: Vec::new(), open: Vec::new() }
    }
}

impl<W: Clone> Ledger<W> {
    /// Books a request. It is returned to be sent at once, unless the worker does not listen yet: then it is kept,
    /// because a message to a worker that does not listen is lost.
    pub(crate) fn open(&mut self, body: RequestBody, waits: W) -> (u32, Option<Request>) {
        let request = self.number(body);
        let id = request.id;
        self.open.push((id, waits));
        (id, self.send_or_keep(request))
    }

    /// Books a request that nobody waits for.
    pub(crate) fn tell(&mut self, body: RequestBody) -> Option<Request> {
        let request = self.number(body);
        self.send_or_keep(request)
    }

    /// Asks that a request be ended. One that was never sent is simply forgotten and answered here.
    pub(crate) fn cancel(&mut self, id: u32) -> (Option<Request>, Option<(W, AnswerBody)>) {
        let unsent = self.unsent.iter().position(|request| request.id == id);
        if let Some(position) = unsent {
            self.unsent.remove(position);
            return (None, self.close(id).map(|waits| (waits, AnswerBody::Cancelled)));
        }
        if self.is_open(id) {
            return (self.tell(RequestBody::Cancel { id }), None);
        }
        (None, None)
    }

    /// The worker listens: what was kept for it is to be sent.
    pub(crate) fn ready(&mut self) -> Vec<Request> {
        self.is_ready = true;
        std::mem::take(&mut self.unsent)
    }

    /// Who waits for an answer, if anybody still does.
    pub(crate) fn answered(&mut self, answer: &Answer) -> Option<W> {
        if answer.body.is_final() {
            self.close(answer.id)
        } else {
            self.open.iter().find(|(open, _)| *open == answer.id).map(|(_, waits)| waits.clone())
        }
    }

    /// The worker is gone: everybody who waits is told so.
    pub(crate) fn lost(&mut self, message: &str) -> Vec<(W, AnswerBody)> {
        self.is_ready = false;
        self.unsent.clear();
        let failure = || Failure { message: message.to_owned(), worker_lost: true };
        std::mem::take(&mut self.open)
            .into_iter()
            .map(|(_, waits)| (waits, AnswerBody::Failed(failure())))
            .collect()
    }

    /// Whether the worker listens.
    pub(super) fn is_ready(&self) -> bool {
        self.is_ready
    }

    /// Whether a request is still to be answered.
    pub(crate) fn is_open(&self, id: u32) -> bool {
        self.open.iter().any(|(open, _)| *open == id)
    }

    fn close(&mut self, id: u32) -> Option<W> {
        let position = self.open.iter().position(|(open, _)| *open == id)?;
        Some(self.open.remove(position).1)
    }

    fn number(&mut self, body: RequestBody) -> Request {
        let id = self.next_id;
        self.next_id += 1;
        Request { id, body }
    }

    fn send_or_keep(&mut self, request: Request) -> Option<Request> {
        if self.is_ready {
            return Some(request);
        }
        self.unsent.push(request);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{Progress, RunKey};

    fn text() -> RequestBody {
        RequestBody::Text { run: RunKey(0) }
    }

    #[test]
    fn nothing_is_sent_before_the_worker_listens() {
        let mut ledger = Ledger::default();
        let (first, now) = ledger.open(text(), 'a');
        assert_eq!(now, None);
        let sent: Vec<u32> = ledger.ready().iter().map(|request| request.id).collect();
        assert_eq!(sent, [first]);
        let (_, now) = ledger.open(text(), 'b');
        assert!(now.is_some(), "from then on requests leave at once");
    }

    #[test]
    fn progress_leaves_a_request_open_and_its_last_answer_closes_it() {
        let mut ledger = Ledger::default();
        ledger.ready();
        let (id, _) = ledger.open(text(), 'a');
        let progress = Answer { id, body: AnswerBody::Progress(Progress::default()) };
        assert_eq!(ledger.answered(&progress), Some('a'));
        assert_eq!(ledger.answered(&Answer { id, body: AnswerBody::Text(String::new()) }), Some('a'));
        assert_eq!(ledger.answered(&progress), None, "an answer that comes too late reaches nobody");
    }

    #[test]
    fn a_request_that_was_never_sent_is_cancelled_here() {
        let mut ledger = Ledger::default();
        let (id, _) = ledger.open(text(), 'a');
        assert_eq!(ledger.cancel(id), (None, Some(('a', AnswerBody::Cancelled))));
        assert!(ledger.ready().is_empty());
    }

    #[test]
    fn a_request_under_way_is_cancelled_by_the_worker() {
        let mut ledger = Ledger::default();
        ledger.ready();
        let (id, _) = ledger.open(text(), 'a');
        let (request, told) = ledger.cancel(id);
        assert_eq!(request.map(|request| request.body), Some(RequestBody::Cancel { id }));
        assert_eq!(told, None);
        assert!(ledger.is_open(id), "its last answer is still to come");
    }

    #[test]
    fn a_lost_worker_tells_everybody_who_waits() {
        let mut ledger = Ledger::default();
        ledger.ready();
        ledger.open(text(), 'a');
        ledger.open(text(), 'b');
        let told = ledger.lost("gone");
        assert_eq!(told.iter().map(|(waits, _)| *waits).collect::<String>(), "ab");
        assert!(
            told.iter().all(|(_, body)| matches!(body, AnswerBody::Failed(failure) if failure.worker_lost))
        );
        let (_, now) = ledger.open(text(), 'c');
        assert_eq!(now, None, "the next worker does not listen yet");
    }
}
