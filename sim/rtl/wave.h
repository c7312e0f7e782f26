// SPDX-License-Identifier: Apache-2.0
/// Waveforms: of the RTL as Verilator writes them (FST), of operations and answers as the model has them (VCD).
#ifndef TWINSIM_RTL_WAVE_H
#define TWINSIM_RTL_WAVE_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

class VerilatedFstC;

namespace tsim::rtl
{

/// One FST file. Its time is the model's: a scheduler cycle is 1 ns, and the block's clocks within it follow each other
/// by 1 ps.
class FstFile
{
  public:
    FstFile();
    ~FstFile();
    FstFile(const FstFile &) = delete;
    FstFile &operator=(const FstFile &) = delete;

    /// For the top's trace(), before open().
    [[nodiscard]] VerilatedFstC *file() const { return file_.get(); }
    void open(const std::string &name);
    /// The values of now: `cycle` has come.
    void dump(uint64_t cycle);
    void close();

  private:
    std::unique_ptr<VerilatedFstC> file_;
    uint64_t last_ = 0;
    uint32_t dumps_ = 0;
};

/// Ends all files that are open: their last block is written. For the end of the process.
void close_waves();

/// Rows of whole numbers as a VCD file: `names` are the columns; time is the first of each row, in cycles.
/// False: the file cannot be written.
[[nodiscard]] bool write_vcd(const std::string &name, const std::string &scope,
                             const std::vector<const char *> &names,
                             const std::vector<std::vector<uint64_t>> &rows);

} // namespace tsim::rtl

#endif
