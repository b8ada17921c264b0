#ifndef BERTH_STAY_H
#define BERTH_STAY_H

/**
 * Stays, and answers the request files that standard input names: a line is the path of the request file, a tab, and the path
 * of the answer file. One after the other; standard output gets a line for each: 1 an answer was written, 0 none could be. A
 * line that is too long or names no two files is passed over without a word. Ends with standard input.
 */
int stay(void);

#endif
