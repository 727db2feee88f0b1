//! Numbers that a program gets where cuSPARSE gives pointers. No address is such a number, and each is used once: so an object that was
//! destroyed, or made by another library, is recognised.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// The upper bits of every number: no address of a 64-bit system begins so.
const TAG: usize = 0x5350 << 48;

static MADE: AtomicUsize = AtomicUsize::new(1);

/// The live objects of one kind by their numbers.
pub struct Table<T>(RwLock<HashMap<usize, Arc<T>>>);

pub enum Entry<T> {
    Live(Arc<T>),
    Destroyed,
    /// NULL, or an address.
    Foreign,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table(RwLock::default())
    }
}

impl<T> Table<T> {
    pub fn insert(&self, object: T) -> usize {
        let number = TAG | MADE.fetch_add(1, Ordering::Relaxed) << 4;
        // The map is whole whatever a panicking thread did with it; so below.
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(number, Arc::new(object));
        number
    }

    pub fn find(&self, number: usize) -> Entry<T> {
        if number & TAG != TAG {
            return Entry::Foreign;
        }
        let found = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&number).cloned();
        found.map_or(Entry::Destroyed, Entry::Live)
    }

    /// The object, where no call of another thread has it any more: else that call ends it.
    pub fn remove(&self, number: usize) -> Option<T> {
        let gone = self.0.write().unwrap_or_else(PoisonError::into_inner).remove(&number);
        gone.and_then(Arc::into_inner)
    }
}
