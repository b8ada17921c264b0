/** Below MQL's functions: the files of Linux or Windows. A file that is opened without sharing is held as its only user. */
#include "files.hpp"

#include <map>

#ifdef _WIN32
#include <windows.h>
#else
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace {

#ifdef _WIN32
using File = HANDLE;
using Path = std::wstring;
#else
using File = int;
using Path = std::string;
#endif

struct Search {
  std::vector<string> names;
  size_t next = 0;
};

std::map<int, File> files;
std::map<int64_t, Search> searches;
int lastHandle = 0;

void trace(const char *step, const string &path) {
  if (linkHost()->trace != nullptr) linkHost()->trace((std::string(step) + " " + path.utf8()).c_str());
}

#ifdef _WIN32
Path toPath(const string &path) {
  std::u16string whole = fromUtf8(linkHost()->files) + u"\\" + path.chars;
  return Path(whole.begin(), whole.end());
}

bool openFile(const string &path, int flags, File &file) {
  DWORD access = (flags & FILE_WRITE) != 0 ? GENERIC_WRITE | GENERIC_READ : GENERIC_READ;
  DWORD share = ((flags & SHARED_READ) != 0 ? 1u : 0u) | ((flags & SHARED_WRITE) != 0 ? 6u : 0u);
  DWORD how = (flags & FILE_WRITE) != 0 ? CREATE_ALWAYS : OPEN_EXISTING;
  file = CreateFileW(toPath(path).c_str(), access, share, nullptr, how, FILE_ATTRIBUTE_NORMAL, nullptr);
  return file != INVALID_HANDLE_VALUE;
}

std::vector<string> listNames(const string &folder) {
  std::vector<string> names;
  WIN32_FIND_DATAW found;
  HANDLE search = FindFirstFileW((toPath(folder) + L"*").c_str(), &found);
  if (search == INVALID_HANDLE_VALUE) return names;
  do {
    if ((found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) == 0) {
      names.push_back(string(std::u16string(found.cFileName, found.cFileName + wcslen(found.cFileName))));
    }
  } while (FindNextFileW(search, &found));
  FindClose(search);
  return names;
}
#else
Path toPath(const string &path) {
  std::string whole = std::string(linkHost()->files) + "/" + path.utf8();
  for (char &each : whole) each = each == '\\' ? '/' : each;
  return whole;
}

bool openFile(const string &path, int flags, File &file) {
  int how = (flags & FILE_WRITE) != 0 ? O_RDWR | O_CREAT : O_RDONLY;
  file = open(toPath(path).c_str(), how | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (file < 0) return false;
  bool isAlone = (flags & (SHARED_READ | SHARED_WRITE)) == 0;
  bool isOurs = !isAlone || flock(file, LOCK_EX | LOCK_NB) == 0;
  if (isOurs && (flags & FILE_WRITE) != 0) isOurs = ftruncate(file, 0) == 0;
  if (!isOurs) close(file);
  return isOurs;
}

std::vector<string> listNames(const string &folder) {
  std::vector<string> names;
  DIR *directory = opendir(toPath(folder).c_str());
  if (directory == nullptr) return names;
  while (const dirent *entry = readdir(directory)) {
    if (entry->d_type == DT_REG) names.push_back(string(entry->d_name));
  }
  closedir(directory);
  return names;
}
#endif

bool endsWith(const std::u16string &text, const std::u16string &ending) {
  return text.size() >= ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

} // namespace

int FileOpen(const string &path, int flags) {
  File file;
  if (!openFile(path, flags, file)) return INVALID_HANDLE;
  files[++lastHandle] = file;
  if ((flags & FILE_WRITE) != 0) trace("open", path);
  return lastHandle;
}

bool FileMove(const string &from, int, const string &to, int flags) {
#ifdef _WIN32
  DWORD how = (flags & FILE_REWRITE) != 0 ? MOVEFILE_REPLACE_EXISTING : 0;
  bool isMoved = MoveFileExW(toPath(from).c_str(), toPath(to).c_str(), how) != 0;
#else
  bool isFree = (flags & FILE_REWRITE) != 0 || access(toPath(to).c_str(), F_OK) != 0;
  bool isMoved = isFree && rename(toPath(from).c_str(), toPath(to).c_str()) == 0;
#endif
  if (isMoved) trace("move", to);
  return isMoved;
}

#ifdef _WIN32
void FileClose(int file) {
  CloseHandle(files.at(file));
  files.erase(file);
  trace("close", "");
}
void FileFlush(int file) {
  FlushFileBuffers(files.at(file));
  trace("flush", "");
}
uint64_t FileSize(int file) {
  LARGE_INTEGER size;
  return GetFileSizeEx(files.at(file), &size) ? static_cast<uint64_t>(size.QuadPart) : 0;
}
unsigned int writeBytes(int file, const unsigned char *bytes, int count) {
  DWORD done = 0;
  return WriteFile(files.at(file), bytes, static_cast<DWORD>(count), &done, nullptr) ? done : 0;
}
unsigned int readBytes(int file, unsigned char *bytes, int count) {
  DWORD done = 0;
  return ReadFile(files.at(file), bytes, static_cast<DWORD>(count), &done, nullptr) ? done : 0;
}
bool FileDelete(const string &path) { return DeleteFileW(toPath(path).c_str()) != 0; }
bool FolderCreate(const string &path) { return CreateDirectoryW(toPath(path).c_str(), nullptr) != 0; }
bool FileIsExist(const string &path, int) { return GetFileAttributesW(toPath(path).c_str()) != INVALID_FILE_ATTRIBUTES; }
int64_t FileGetInteger(const string &path, ENUM_FILE_PROPERTY_INTEGER, bool) {
  WIN32_FILE_ATTRIBUTE_DATA data;
  if (!GetFileAttributesExW(toPath(path).c_str(), GetFileExInfoStandard, &data)) return -1;
  uint64_t ticks = static_cast<uint64_t>(data.ftLastWriteTime.dwHighDateTime) << 32 | data.ftLastWriteTime.dwLowDateTime;
  return static_cast<int64_t>(ticks / 10000000) - 11644473600;
}
#else
void FileClose(int file) {
  close(files.at(file));
  files.erase(file);
  trace("close", "");
}
void FileFlush(int file) {
  fsync(files.at(file));
  trace("flush", "");
}
uint64_t FileSize(int file) {
  struct stat stats;
  return fstat(files.at(file), &stats) == 0 ? static_cast<uint64_t>(stats.st_size) : 0;
}
unsigned int writeBytes(int file, const unsigned char *bytes, int count) {
  ssize_t done = write(files.at(file), bytes, static_cast<size_t>(count));
  return done < 0 ? 0 : static_cast<unsigned int>(done);
}
unsigned int readBytes(int file, unsigned char *bytes, int count) {
  ssize_t done = read(files.at(file), bytes, static_cast<size_t>(count));
  return done < 0 ? 0 : static_cast<unsigned int>(done);
}
bool FileDelete(const string &path) { return unlink(toPath(path).c_str()) == 0; }
bool FolderCreate(const string &path) { return mkdir(toPath(path).c_str(), 0755) == 0; }
bool FileIsExist(const string &path, int) { return access(toPath(path).c_str(), F_OK) == 0; }
int64_t FileGetInteger(const string &path, ENUM_FILE_PROPERTY_INTEGER, bool) {
  struct stat stats;
  return stat(toPath(path).c_str(), &stats) == 0 ? static_cast<int64_t>(stats.st_mtime) : -1;
}
#endif

/** The pattern is a folder, an asterisk and an ending. */
int64_t FileFindFirst(const string &pattern, string &name) {
  size_t star = pattern.chars.rfind(u'*');
  std::u16string ending = pattern.chars.substr(star + 1);
  Search search;
  for (const string &each : listNames(string(pattern.chars.substr(0, star)))) {
    if (endsWith(each.chars, ending)) search.names.push_back(each);
  }
  int64_t handle = ++lastHandle;
  searches[handle] = search;
  if (FileFindNext(handle, name)) return handle;
  searches.erase(handle);
  return INVALID_HANDLE;
}

bool FileFindNext(int64_t handle, string &name) {
  Search &search = searches.at(handle);
  if (search.next >= search.names.size()) return false;
  name = search.names[search.next++];
  return true;
}

void FileFindClose(int64_t search) { searches.erase(search); }
