use sim::CpuId;

/// The most CPUs of a machine.
pub(crate) const MAX_CPUS: usize = 256;

const WORDS: usize = MAX_CPUS / 64;

/// A set of CPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CpuSet {
    words: [u64; WORDS],
}

impl CpuSet {
    /// The most CPUs that a set can hold.
    pub const CAPACITY: usize = MAX_CPUS;

    /// The set of CPUs `0..count`.
    pub fn first(count: usize) -> CpuSet {
        (0..count).map(|cpu| CpuId(cpu as u16)).collect()
    }

    /// Adds a CPU.
    pub fn insert(&mut self, cpu: CpuId) {
        self.words[cpu.index() / 64] |= 1 << (cpu.index() % 64);
    }

    /// Takes a CPU out.
    pub fn remove(&mut self, cpu: CpuId) {
        self.words[cpu.index() / 64] &= !(1 << (cpu.index() % 64));
    }

    /// Whether the CPU is in the set.
    pub fn contains(&self, cpu: CpuId) -> bool {
        self.words[cpu.index() / 64] >> (cpu.index() % 64) & 1 == 1
    }

    /// How many CPUs are in the set.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the set has no CPU.
    pub fn is_empty(&self) -> bool {
        self.words == [0; WORDS]
    }

    /// Whether the two sets share a CPU.
    pub fn intersects(&self, other: &CpuSet) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    /// Whether every CPU of this set is in the other.
    pub fn is_subset(&self, other: &CpuSet) -> bool {
        self.words.iter().zip(&other.words).all(|(a, b)| a & !b == 0)
    }

    /// The CPUs of both sets.
    #[must_use]
    pub fn and(&self, other: &CpuSet) -> CpuSet {
        let mut words = self.words;
        for (word, theirs) in words.iter_mut().zip(&other.words) {
            *word &= theirs;
        }
        CpuSet { words }
    }

    /// The lowest CPU of the set.
    pub fn lowest(&self) -> Option<CpuId> {
        self.iter().next()
    }

    /// The CPUs in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = CpuId> + use<> {
        let words = self.words;
        (0..WORDS).flat_map(move |position| {
            let mut word = words[position];
            std::iter::from_fn(move || {
                if word == 0 {
                    return None;
                }
                let bit = word.trailing_zeros();
                word &= word - 1;
                Some(CpuId((position * 64) as u16 + bit as u16))
            })
        })
    }

    /// The CPUs in ascending order from `start` on, wrapping round to those below it (`for_each_cpu_wrap`).
    pub fn iter_wrapped(&self, start: CpuId) -> impl Iterator<Item = CpuId> + use<> {
        let set = *self;
        self.iter().filter(move |cpu| start <= *cpu).chain(set.iter().filter(move |cpu| *cpu < start))
    }
}

impl FromIterator<CpuId> for CpuSet {
    fn from_iter<I: IntoIterator<Item = CpuId>>(cpus: I) -> CpuSet {
        let mut set = CpuSet::default();
        for cpu in cpus {
            set.insert(cpu);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_order_starts_at_the_given_cpu() {
        let set: CpuSet = [1, 3, 70, 200].into_iter().map(CpuId).collect();
        let order: Vec<u16> = set.iter_wrapped(CpuId(4)).map(|cpu| cpu.0).collect();
        assert_eq!(order, [70, 200, 1, 3]);
        assert_eq!(set.len(), 4);
        assert_eq!(set.lowest(), Some(CpuId(1)));
        assert!(set.is_subset(&CpuSet::first(201)));
        assert!(!set.is_subset(&CpuSet::first(200)));
    }
}
