/** MQL's functions for files, which see one folder only. */
#ifndef BERTH_LINK_FILES_HPP
#define BERTH_LINK_FILES_HPP

#include <cstdint>

#include "host.h"
#include "text.hpp"

const LinkHost *linkHost();

constexpr int INVALID_HANDLE = -1;
constexpr int FILE_READ = 1;
constexpr int FILE_WRITE = 2;
constexpr int FILE_BIN = 4;
constexpr int FILE_REWRITE = 512;
/** Windows has macros of the names that MQL gives to these. */
constexpr int SHARED_READ = 128;
constexpr int SHARED_WRITE = 256;
constexpr int FILE_SHARE_READ = SHARED_READ;
constexpr int FILE_SHARE_WRITE = SHARED_WRITE;
enum ENUM_FILE_PROPERTY_INTEGER { FILE_MODIFY_DATE = 2 };

int FileOpen(const string &path, int flags);
void FileClose(int file);
void FileFlush(int file);
uint64_t FileSize(int file);
bool FileMove(const string &from, int fromFlags, const string &to, int flags);
bool FileDelete(const string &path);
bool FileIsExist(const string &path, int flags);
int64_t FileGetInteger(const string &path, ENUM_FILE_PROPERTY_INTEGER property, bool isCommon);
bool FolderCreate(const string &path);
int64_t FileFindFirst(const string &pattern, string &name);
bool FileFindNext(int64_t search, string &name);
void FileFindClose(int64_t search);
unsigned int writeBytes(int file, const unsigned char *bytes, int count);
unsigned int readBytes(int file, unsigned char *bytes, int count);

inline unsigned int FileWriteArray(int file, Array<unsigned char> &bytes, int from, int count) {
  return writeBytes(file, bytes.items.data() + from, count);
}
inline unsigned int FileReadArray(int file, Array<unsigned char> &bytes, int from, int count) {
  bytes.items.resize(static_cast<size_t>(from + count));
  return readBytes(file, bytes.items.data() + from, count);
}

#endif
