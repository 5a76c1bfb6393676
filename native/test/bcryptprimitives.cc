// For tests under wine, which lacks this library of Windows 10: the one function of it that programs written in Rust
// need.
#include <windows.h>

#include <ntsecapi.h>

extern "C" __declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) {
	return ::RtlGenRandom(data, static_cast<ULONG>(size));
}
