#ifndef BERTH_ANSWER_FILE_H
#define BERTH_ANSWER_FILE_H

#include <stdbool.h>
#include <wchar.h>

/**
 * Does what the lines of the request file say, in order, up to the first that is refused, and writes one line for each into
 * the answer file, which appears as a whole. False where the one cannot be read or the other not be written.
 */
bool answerRequestFile(const wchar_t *request, const wchar_t *answerPath);

#endif
