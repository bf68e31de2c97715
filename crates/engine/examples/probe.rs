use engine::{Engine, Options};
use kernel::{Era, Kernel, Patch};
use scenario::{CostTable, Setup};
use sim::Nanos;
use topology::Topology;
use workload::{Workload, WorkloadSpec, schbench};
fn us(x: u64) -> Nanos { Nanos(x) }
fn env(k: &str, d: u64) -> u64 { std::env::var(k).map_or(d, |v| v.parse().unwrap()) }
fn setup(seed: u64, form: &str) -> Setup {
    let topo = env("TOPO", 0);
    let mut kernel = Kernel::released(Era::V5_10, 8, env("HZ", 250) as u32);
    if env("NEWIDLE", 1) == 0 { kernel.tunables.newidle_balance = false; }
    if env("UTIL", 1) == 0 { kernel.tunables.util_test = false; }
    if env("SLICE", 0) > 0 { kernel.tunables.latency_ns = 2*env("SLICE", 0); kernel.tunables.min_granularity_ns = env("SLICE", 0); }
    kernel.patches.set(Era::V5_10, Patch::LlcSpread, form).unwrap();
    Setup {
        topology: match topo { 0 => Topology::regular(1, 2, 4, 1), 1 => Topology::regular(1,1,8,1), _ => Topology::regular(1,1,20,2) },
        kernel,
        costs: if env("GEN", 0) == 1 { CostTable { wake_pre: us(300), wake_direct: us(850), wake_list: us(200), wake_post: us(200), kick_idle: us(600), kick_busy: us(1500), window: us(2000), context_switch: us(900), wait_return: us(700), post_path: us(800), block_path: us(3500), sleep_entry: us(1000), timer_slack: us(50000), newidle_balance: us(6000), ilb: us(8000), scan_per_cpu: us(50), fork: us(30000), jitter_pct: 35 } } else { CostTable { wake_pre: us(4000), wake_direct: us(4000), wake_list: us(2500), wake_post: us(2500), kick_idle: us(6000), kick_busy: us(4000), window: us(3000), context_switch: us(6000), wait_return: us(5000), post_path: us(6000), block_path: us(6000), sleep_entry: us(8000), timer_slack: us(50000), newidle_balance: us(20000), ilb: us(25000), scan_per_cpu: us(250), fork: us(30000), jitter_pct: 25 } },
        capacity: env("CAP", 1021) as u32, idle_states: vec![],
        workload: WorkloadSpec::Schbench(schbench::Spec { generation: schbench::Generation::Y2019, message_threads: 2, worker_threads: env("T", 4) as u16, sleep_us: env("S", 10000) as u32, think_us: 1000000, runtime_s: 10 }),
        seed, until: Nanos::from_secs(60), max_events: 50_000_000,
    }
}
fn main() {
    let n: u64 = std::env::args().nth(1).map_or(20, |a| a.parse().unwrap());
    let check = std::env::args().nth(2).is_some();
    for form in ["off", "on", "group_weight", "shift"].into_iter().take(env("F", 2) as usize) {
        let t = std::time::Instant::now();
        let mut rows = vec![];
        let mut events = 0;
        for seed in 1..=n {
            let s = setup(seed, form);
            let mut e = Engine::new(&s, Options { check_invariants: check, ..Options::default() });
            let p = e.run_to_end();
            events += p.events;
            if check {
                let mut f = Engine::new(&s, Options { every_tick: true, check_invariants: true, ..Options::default() });
                f.run_to_end();
                assert_eq!(e.trace_hash(), f.trace_hash());
                assert_eq!(e.state_hash(), f.state_hash());
            }
            let Workload::Schbench(b) = e.workload() else { panic!() };
            let mut l: Vec<u64> = b.samples().iter().map(|s| s.latency_us).collect();
            l.sort();
            let pc = |q: f64| l[((q * l.len() as f64).ceil() as usize).saturating_sub(1).min(l.len() - 1)];
            let ms: Vec<u64> = b.samples().iter().filter(|s| s.from_wakeup && s.latency_us >= 1000).map(|s| s.latency_us).collect();
            let c = e.counters().clone();
            if env("V",0)==1 { println!("{form} {seed}: n={} p50={} p75={} p90={} p95={} p99={} ms={:?} refus={} stack={} ni={} idle={} busy={} act={} wl={} wp={} tp={} wwi={}us sw={} ev={} {:?}", l.len(), pc(0.5), pc(0.75), pc(0.9), pc(0.95), pc(0.99), ms, c.util_refusals, c.stacked_wakeups, c.newidle_pulls, c.idle_pulls, c.busy_pulls, c.active_pushes, c.wake_list_wakeups, c.wakeup_preemptions, c.tick_preemptions, c.wait_while_idle_ns/1000, c.switches, p.events, p.state); }
            rows.push((pc(0.5), pc(0.75), pc(0.9), pc(0.95), pc(0.99), ms.len(), c.util_refusals, c.stacked_wakeups, c.newidle_pulls, c.wait_while_idle_ns/1000, l.len(), ms));
        }
        let el = t.elapsed();
        let med = |f: &dyn Fn(&(u64,u64,u64,u64,u64,usize,u64,u64,u64,u64,usize,Vec<u64>)) -> u64| { let mut v: Vec<u64> = rows.iter().map(f).collect(); v.sort(); (v[v.len()*25/1000], v[v.len()/2], v[(v.len()*975/1000).min(v.len()-1)]) };
        println!("{form}: p50 {:?} p75 {:?} p90 {:?} p95 {:?} p99 {:?} refus {:?} stack {:?} ni {:?} wwi {:?} n {:?}; mean ms {:.2}; {:.2} ms/run, {} ev/run", med(&|r| r.0), med(&|r| r.1), med(&|r| r.2), med(&|r| r.3), med(&|r| r.4), med(&|r| r.6), med(&|r| r.7), med(&|r| r.8), med(&|r| r.9), med(&|r| r.10 as u64), rows.iter().map(|r| r.5).sum::<usize>() as f64 / n as f64, el.as_secs_f64()*1e3/n as f64, events/n);
        let frac = |f: &dyn Fn(&(u64,u64,u64,u64,u64,usize,u64,u64,u64,u64,usize,Vec<u64>)) -> bool| rows.iter().filter(|r| f(r)).count() as f64 / n as f64;
        let all: Vec<u64> = rows.iter().flat_map(|r| r.11.clone()).collect();
        println!("   p99 in [12,16.1]: {:.3}; p95<100 {:.3}; p99 70..110 {:.3}; p99>=12ms {:.3}; p95>=1ms {:.3}; slice share {:.3}", frac(&|r| (12000..=16100).contains(&r.4)), frac(&|r| r.3 < 100), frac(&|r| (70..=110).contains(&r.4)), frac(&|r| r.4 >= 12000), frac(&|r| r.3>=1000), all.iter().filter(|l| **l >= 11900).count() as f64 / all.len().max(1) as f64);
    }
}
