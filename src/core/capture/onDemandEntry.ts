// What a hook before an edit never needs: a bundle of its own beside the program that agents call.
export { runGit } from './sweep/gitProcess';
export { afterCommand, beforeCommand, closeSweeps } from './sweep/sweep';
export { tidyStores } from './tidy';
