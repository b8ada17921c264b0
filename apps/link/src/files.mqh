// Files of the exchange folder: whole or not at all. docs/platforms/link.md lists them.

#define COMMANDS_FOLDER "Berth\\commands\\"
#define ANSWERS_FOLDER "Berth\\answers\\"

void EnsureFolders()
  {
   FolderCreate("Berth");
   FolderCreate("Berth\\commands");
   FolderCreate("Berth\\answers");
  }

// Written beside its place, on the disk, then moved over the former one: a reader sees one of the two.
bool ReplaceFile(string path, string text)
  {
   uchar bytes[];
   int count = StringToCharArray(text, bytes, 0, -1, CP_UTF8) - 1;
   if(count <= 0) return false;
   string draft = path + ".tmp";
   int file = FileOpen(draft, FILE_WRITE | FILE_BIN);
   if(file == INVALID_HANDLE) return false;
   bool is_written = FileWriteArray(file, bytes, 0, count) == (uint)count;
   FileFlush(file);
   FileClose(file);
   return is_written && FileMove(draft, 0, path, FILE_REWRITE);
  }

// False where there is no such file, or it is larger.
bool ReadFile(string path, int max_bytes, string &text)
  {
   text = "";
   int file = FileOpen(path, FILE_READ | FILE_BIN | FILE_SHARE_READ | FILE_SHARE_WRITE);
   if(file == INVALID_HANDLE) return false;
   ulong size = FileSize(file);
   uchar bytes[];
   uint count = 0;
   if(size > 0 && size <= (ulong)max_bytes) count = FileReadArray(file, bytes, 0, (int)size);
   FileClose(file);
   if(count == 0 || count != size) return false;
   text = CharArrayToString(bytes, 0, (int)count, CP_UTF8);
   return true;
  }

// Held until the program ends, however it ends: the system gives it back. INVALID_HANDLE while another program has it.
int TryLock(string path) { return FileOpen(path, FILE_WRITE | FILE_BIN); }
