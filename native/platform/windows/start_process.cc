// CreateProcessW, as the addon and the launcher use it.
#include "start_process.h"

#include <windows.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "errors.h"

namespace console {
namespace {

// Copies that can be inherited, for as long as it takes: nobody else is to start a process with them.
std::vector<Descriptor> Inheritable(const std::vector<Handle>& handles) {
	std::vector<Descriptor> copies;
	for (const Handle handle : handles) {
		HANDLE copy = nullptr;
		const HANDLE self = ::GetCurrentProcess();
		if (!::DuplicateHandle(self, handle, self, &copy, 0, TRUE, DUPLICATE_SAME_ACCESS)) {
			throw LastError("DuplicateHandle");
		}
		copies.emplace_back(copy);
	}
	return copies;
}

// What the C runtimes of Microsoft read from lpReserved2: how many descriptors, a byte of flags for each, then the
// handles, without any padding.
std::vector<unsigned char> DescriptorTable(const std::vector<Descriptor>& descriptors) {
	constexpr unsigned char kOpenPipe = 0x01 | 0x08;
	const int count = static_cast<int>(descriptors.size());
	std::vector<unsigned char> table(sizeof count + descriptors.size() * (1 + sizeof(HANDLE)));
	std::memcpy(table.data(), &count, sizeof count);
	unsigned char* flags = table.data() + sizeof count;
	unsigned char* handles = flags + descriptors.size();
	for (const Descriptor& descriptor : descriptors) {
		const HANDLE handle = descriptor.Get();
		*flags++ = kOpenPipe;
		std::memcpy(handles, &handle, sizeof handle);
		handles += sizeof handle;
	}
	return table;
}

// The list of the handles that a process is to inherit.
class InheritanceList {
public:
	explicit InheritanceList(const std::vector<Descriptor>& descriptors) {
		for (const Descriptor& descriptor : descriptors) handles_.push_back(descriptor.Get());
		SIZE_T size = 0;
		::InitializeProcThreadAttributeList(nullptr, 1, 0, &size);
		memory_ = std::make_unique<unsigned char[]>(size);
		if (!::InitializeProcThreadAttributeList(Get(), 1, 0, &size)) {
			throw LastError("InitializeProcThreadAttributeList");
		}
		if (!::UpdateProcThreadAttribute(Get(), 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles_.data(),
		                                 handles_.size() * sizeof(HANDLE), nullptr, nullptr)) {
			const SystemError error = LastError("UpdateProcThreadAttribute");
			::DeleteProcThreadAttributeList(Get());
			throw error;
		}
	}
	InheritanceList(const InheritanceList&) = delete;
	InheritanceList& operator=(const InheritanceList&) = delete;
	~InheritanceList() { ::DeleteProcThreadAttributeList(Get()); }

	LPPROC_THREAD_ATTRIBUTE_LIST Get() const noexcept {
		return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory_.get());
	}

private:
	std::vector<HANDLE> handles_;
	std::unique_ptr<unsigned char[]> memory_;
};

}  // namespace

Handle GivenHandle(int number) {
	STARTUPINFOW startup{};
	::GetStartupInfoW(&startup);
	int count = 0;
	if (startup.cbReserved2 >= sizeof count) std::memcpy(&count, startup.lpReserved2, sizeof count);
	const auto size = sizeof count + static_cast<std::size_t>(count) * (1 + sizeof(HANDLE));
	if (number >= count || startup.cbReserved2 < size)
		throw SystemError("GetStartupInfoW", EBADF, std::to_string(number));
	HANDLE handle = nullptr;
	const std::size_t place =
	    sizeof count + static_cast<std::size_t>(count) + static_cast<std::size_t>(number) * sizeof handle;
	std::memcpy(&handle, startup.lpReserved2 + place, sizeof handle);
	return handle;
}

StartedProcess StartProcess(const ProcessStart& start) {
	const std::vector<Descriptor> inherited = Inheritable(start.handles);
	const InheritanceList list(inherited);
	std::vector<unsigned char> table = DescriptorTable(inherited);
	STARTUPINFOEXW startup{};
	startup.StartupInfo.cb = sizeof startup;
	startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
	startup.StartupInfo.hStdInput = inherited.at(0).Get();
	startup.StartupInfo.hStdOutput = inherited.at(1).Get();
	startup.StartupInfo.hStdError = inherited.at(2).Get();
	startup.StartupInfo.cbReserved2 = static_cast<WORD>(table.size());
	startup.StartupInfo.lpReserved2 = table.data();
	startup.lpAttributeList = list.Get();
	std::wstring command_line = start.command_line;
	std::wstring environment = start.environment;
	PROCESS_INFORMATION information{};
	if (!::CreateProcessW(start.program.c_str(), command_line.data(), nullptr, nullptr, TRUE,
	                      start.flags | CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT, environment.data(),
	                      start.folder.c_str(), &startup.StartupInfo, &information)) {
		throw LastError("CreateProcessW");
	}
	return {information.dwProcessId, Descriptor(information.hProcess), Descriptor(information.hThread)};
}

}  // namespace console
