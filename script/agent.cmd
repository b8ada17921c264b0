@echo off
rem Runs the agent on Windows, where docs/windows-hosts.md says how. What it needs must have been built: script/build.
setlocal
node "%~dp0..\apps\agent\dist\main.js" %*
exit /b %errorlevel%
