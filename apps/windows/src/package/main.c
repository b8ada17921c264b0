/**
 * package.exe FILE: writes a Windows Installer package that imitates Wine's Gecko in the tests. All it installs is a
 * registry value, by which a program detects it: HKEY_CURRENT_USER\Software\Berth, Pages.
 *
 * Exit codes: 0 written, 1 the number of the failed statement is on the output.
 */
#include <windows.h>
#include <msi.h>
#include <msiquery.h>
#include <stdio.h>

#define COMPONENT L"{6B8B0C0A-3B1E-4E0B-9C53-5D4E1A0F7C21}"
#define PRODUCT L"{0E6F4D55-9B55-4A52-8E3E-1C5E6C7F9A10}"
#define PACKAGE L"{B2B0B1B6-7B6D-4B0F-8E52-4D8C6F1E2A33}"

/* Summary information: the platform and language, the package's id, the version of the installer, compressed or not. */
#define PID_TEMPLATE 7
#define PID_REVNUMBER 9
#define PID_PAGECOUNT 14
#define PID_WORDCOUNT 15

static const wchar_t *const statements[] = {
    L"CREATE TABLE `Property` (`Property` CHAR(72) NOT NULL, `Value` LONGCHAR NOT NULL PRIMARY KEY `Property`)",
    L"CREATE TABLE `Directory` (`Directory` CHAR(72) NOT NULL, `Directory_Parent` CHAR(72), `DefaultDir` CHAR(255) NOT NULL "
    L"PRIMARY KEY `Directory`)",
    L"CREATE TABLE `Component` (`Component` CHAR(72) NOT NULL, `ComponentId` CHAR(38), `Directory_` CHAR(72) NOT NULL, "
    L"`Attributes` SHORT NOT NULL, `Condition` CHAR(255), `KeyPath` CHAR(72) PRIMARY KEY `Component`)",
    L"CREATE TABLE `Feature` (`Feature` CHAR(38) NOT NULL, `Feature_Parent` CHAR(38), `Title` CHAR(64), `Description` CHAR(255), "
    L"`Display` SHORT, `Level` SHORT NOT NULL, `Directory_` CHAR(72), `Attributes` SHORT NOT NULL PRIMARY KEY `Feature`)",
    L"CREATE TABLE `FeatureComponents` (`Feature_` CHAR(38) NOT NULL, `Component_` CHAR(72) NOT NULL "
    L"PRIMARY KEY `Feature_`, `Component_`)",
    L"CREATE TABLE `Registry` (`Registry` CHAR(72) NOT NULL, `Root` SHORT NOT NULL, `Key` CHAR(255) NOT NULL, `Name` CHAR(255), "
    L"`Value` LONGCHAR, `Component_` CHAR(72) NOT NULL PRIMARY KEY `Registry`)",
    L"CREATE TABLE `InstallExecuteSequence` (`Action` CHAR(72) NOT NULL, `Condition` CHAR(255), `Sequence` SHORT "
    L"PRIMARY KEY `Action`)",
    L"INSERT INTO `Property` (`Property`, `Value`) VALUES ('ProductCode', '" PRODUCT L"')",
    L"INSERT INTO `Property` (`Property`, `Value`) VALUES ('ProductName', 'Pages')",
    L"INSERT INTO `Property` (`Property`, `Value`) VALUES ('ProductVersion', '1.0.0')",
    L"INSERT INTO `Property` (`Property`, `Value`) VALUES ('ProductLanguage', '1033')",
    L"INSERT INTO `Property` (`Property`, `Value`) VALUES ('Manufacturer', 'Berth')",
    L"INSERT INTO `Directory` (`Directory`, `DefaultDir`) VALUES ('TARGETDIR', 'SourceDir')",
    L"INSERT INTO `Component` (`Component`, `ComponentId`, `Directory_`, `Attributes`, `KeyPath`) "
    L"VALUES ('pages', '" COMPONENT L"', 'TARGETDIR', 4, 'pages')",
    L"INSERT INTO `Feature` (`Feature`, `Level`, `Attributes`) VALUES ('pages', 1, 0)",
    L"INSERT INTO `FeatureComponents` (`Feature_`, `Component_`) VALUES ('pages', 'pages')",
    L"INSERT INTO `Registry` (`Registry`, `Root`, `Key`, `Name`, `Value`, `Component_`) "
    L"VALUES ('pages', 1, 'Software\\Berth', 'Pages', 'yes', 'pages')",
    L"INSERT INTO `InstallExecuteSequence` (`Action`, `Sequence`) VALUES ('CostInitialize', 800)",
    L"INSERT INTO `InstallExecuteSequence` (`Action`, `Sequence`) VALUES ('FileCost', 900)",
    L"INSERT INTO `InstallExecuteSequence` (`Action`, `Sequence`) VALUES ('CostFinalize', 1000)",
    L"INSERT INTO `InstallExecuteSequence` (`Action`, `Sequence`) VALUES ('InstallValidate', 1400)",
    L"INSERT INTO `InstallExecuteSequence` (`Action`, `Sequence`) VALUES ('InstallInitialize', 1500)",
    L"INSERT INTO `InstallExecuteSequence` (`Action`, `Sequence`) VALUES ('ProcessComponents', 1600)",
    L"INSERT INTO `InstallExecuteSequence` (`Action`, `Sequence`) VALUES ('WriteRegistryValues', 5000)",
    L"INSERT INTO `InstallExecuteSequence` (`Action`, `Sequence`) VALUES ('InstallFinalize', 6600)",
};

static UINT execute(MSIHANDLE database, const wchar_t *text) {
  MSIHANDLE view;
  UINT error = MsiDatabaseOpenViewW(database, text, &view);
  if (error == ERROR_SUCCESS) error = MsiViewExecute(view, 0);
  MsiCloseHandle(view);
  return error;
}

static UINT summarise(MSIHANDLE database) {
  MSIHANDLE summary;
  UINT error = MsiGetSummaryInformationW(database, NULL, 4, &summary);
  if (error == ERROR_SUCCESS) error = MsiSummaryInfoSetPropertyW(summary, PID_TEMPLATE, VT_LPSTR, 0, NULL, L"x64;1033");
  if (error == ERROR_SUCCESS) error = MsiSummaryInfoSetPropertyW(summary, PID_REVNUMBER, VT_LPSTR, 0, NULL, PACKAGE);
  if (error == ERROR_SUCCESS) error = MsiSummaryInfoSetPropertyW(summary, PID_PAGECOUNT, VT_I4, 200, NULL, NULL);
  if (error == ERROR_SUCCESS) error = MsiSummaryInfoSetPropertyW(summary, PID_WORDCOUNT, VT_I4, 2, NULL, NULL);
  if (error == ERROR_SUCCESS) error = MsiSummaryInfoPersist(summary);
  MsiCloseHandle(summary);
  return error;
}

int wmain(int count, wchar_t **words) {
  MSIHANDLE database;
  if (count != 2 || MsiOpenDatabaseW(words[1], MSIDBOPEN_CREATE, &database) != ERROR_SUCCESS) return 1;
  for (size_t index = 0; index < sizeof statements / sizeof statements[0]; index++) {
    UINT error = execute(database, statements[index]);
    if (error == ERROR_SUCCESS) continue;
    printf("statement %u: error %u\n", (unsigned)index, error);
    return 1;
  }
  return summarise(database) == ERROR_SUCCESS && MsiDatabaseCommit(database) == ERROR_SUCCESS ? 0 : 1;
}
