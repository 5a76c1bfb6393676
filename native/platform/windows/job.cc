// The job that all processes of a generation belong to, except the launcher.
#include "job.h"

#include <windows.h>

#include "errors.h"

namespace console {

Job::Job() {
	const HANDLE job = ::CreateJobObjectW(nullptr, nullptr);
	if (job == nullptr) throw LastError("CreateJobObjectW");
	job_ = Descriptor(job);
	JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
	limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
	if (!::SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits)) {
		throw LastError("SetInformationJobObject");
	}
}

void Job::Add(Handle process) const {
	if (!::AssignProcessToJobObject(job_.Get(), process)) throw LastError("AssignProcessToJobObject");
}

void Job::Tell(Handle port, std::size_t key) const {
	JOBOBJECT_ASSOCIATE_COMPLETION_PORT association{reinterpret_cast<void*>(key), port};
	if (!::SetInformationJobObject(job_.Get(), JobObjectAssociateCompletionPortInformation, &association,
	                               sizeof association)) {
		throw LastError("SetInformationJobObject");
	}
}

int Job::Count() const {
	JOBOBJECT_BASIC_ACCOUNTING_INFORMATION accounts{};
	if (!::QueryInformationJobObject(job_.Get(), JobObjectBasicAccountingInformation, &accounts, sizeof accounts,
	                                 nullptr)) {
		throw LastError("QueryInformationJobObject");
	}
	return static_cast<int>(accounts.ActiveProcesses);
}

void Job::End() const {
	constexpr UINT kCode = 1;
	if (!::TerminateJobObject(job_.Get(), kCode)) throw LastError("TerminateJobObject");
}

}  // namespace console
