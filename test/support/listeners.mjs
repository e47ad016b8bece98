// Each test file is a bundle with its own copy of the libraries, and the one that holds locks listens for the end of the
// process once a copy: many listeners are no leak here.
process.setMaxListeners(0);
