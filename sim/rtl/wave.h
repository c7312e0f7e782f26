// SPDX-License-Identifier: Apache-2.0
/// Waveforms: of the RTL as Verilator writes them (FST), of operations and answers as the model has
/// them (VCD).
#ifndef TWINSIM_RTL_WAVE_H
#define TWINSIM_RTL_WAVE_H

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

class VerilatedFstC;

namespace tsim::rtl
{

/// One FST file. Its time is the model's: a scheduler cycle is 1 ns, and the block's clocks within
/// it follow each other by 1 ps.
class FstFile
{
  public:
    FstFile();
    ~FstFile();
    FstFile(const FstFile &) = delete;
    FstFile &operator=(const FstFile &) = delete;

    /// For the top's trace(), before open().
    [[nodiscard]] VerilatedFstC *file() const { return file_.get(); }
    /// Says on standard error when the file cannot be made; then nothing is written.
    void open(const std::string &name);
    /// Writes the values at `cycle`, which is the present one. The file ends, with a message on
    /// standard error, when its disk is nearly full: it is written through memory, and a full disk
    /// would end the process.
    void dump(uint64_t cycle);
    void close();
    [[nodiscard]] bool is_open() const;

  private:
    [[nodiscard]] bool has_room() const;

    std::unique_ptr<VerilatedFstC> file_;
    std::string name_;
    pid_t owner_ = 0; // a forked child leaves the file alone
    uint64_t last_ = 0;
    uint32_t dumps_ = 0;
};

/// Ends all files that are open: their last block is written. For the end of the process.
void close_waves();

/// Whole numbers over time as a VCD file that is its owner's alone: what was asked of a block, and
/// what RTL and model answered.
class VcdFile
{
  public:
    struct Column {
        std::string scope, name;
    };
    /// One that is not known.
    static constexpr uint64_t kUnknown = UINT64_MAX;

    VcdFile(const std::string &name, const std::string &scope, const std::vector<Column> &columns);
    ~VcdFile();
    VcdFile(const VcdFile &) = delete;
    VcdFile &operator=(const VcdFile &) = delete;

    void add(uint64_t cycle, const std::vector<uint64_t> &values);
    /// False: it could not be made or written; errno says why.
    [[nodiscard]] bool close();

  private:
    std::FILE *file_ = nullptr;
    uint64_t last_ = 0;
};

/// Has `draw` write waveforms in a child process, so that a failure there (above all a full disk)
/// does not affect this one. Returns what it did, 0 to 100, or -1 with the reason in `why`.
[[nodiscard]] int draw_apart(const std::function<int()> &draw, std::string &why);

} // namespace tsim::rtl

#endif
