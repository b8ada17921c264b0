// The version of the link program. The agent reads it here, and replaces programs of another version.
#define LINK_VERSION "1.2.0"
